// Stand-in of tsx's loader: lets node run a .cts file.
import { register } from 'node:module';

const hooks = `
import { readFile } from 'node:fs/promises';
export async function load(url, context, next) {
  if (!url.endsWith('.cts')) return next(url, context);
  return { format: 'commonjs', shortCircuit: true, source: await readFile(new URL(url), 'utf8') };
}`;
register('data:text/javascript,' + encodeURIComponent(hooks));
