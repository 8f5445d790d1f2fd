// A stand-in with the argv of a MemOS bridge. Headless, it ignores that its stdin ended: the leak. As a daemon it listens.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

const ready = () => writeFileSync(`${process.env.DEMO_READY}/${process.pid}`, String(process.pid));

process.on('SIGTERM', () => process.exit(0));
setTimeout(() => process.exit(1), (process.env.DEMO_LIFE ?? 120) * 1000);
if (process.argv.includes('--daemon')) {
  createServer((peer) => peer.end()).listen(18800, '127.0.0.1', ready);
} else {
  process.stdin.on('error', () => {}).resume();
  ready();
}
