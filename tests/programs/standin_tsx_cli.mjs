// Stand-in of node_modules/tsx/dist/cli.mjs: runs the script in a child of its own, with its own stdio, as tsx does.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const wish = JSON.parse(process.env.STANDIN);
const environment = { ...process.env, STANDIN_NAME: `${wish.name}-leaf` };
const child = spawn(process.execPath,
  ['--require', join(here, 'preflight.cjs'), '--import', pathToFileURL(join(here, 'loader.mjs')).href,
   ...process.argv.slice(2)],
  { stdio: 'inherit', env: environment });
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code) => process.exit(code ?? 1));
setTimeout(() => process.exit(99), (wish.life || 100) * 1000);
