// A service that is a bridge, and starts another one: the body of both.
'use strict';
const fs = require('fs');
const { spawn } = require('child_process');

const folder = process.env.SERVING;
const role = process.env.SERVED ? 'child' : 'main';
setTimeout(() => process.exit(99), 900_000);
process.stdin.on('error', () => {}).resume();
if (role === 'main') {
  const environment = { ...process.env, SERVED: '1', MEMOS_HOME: `${process.env.MEMOS_HOME}-child` };
  spawn(process.execPath, process.argv.slice(1), { stdio: 'pipe', env: environment });
}
fs.writeFileSync(`${folder}/${role}.new`, String(process.pid));
fs.renameSync(`${folder}/${role}.new`, `${folder}/${role}`);
