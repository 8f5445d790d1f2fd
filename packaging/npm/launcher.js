#!/usr/bin/env node
// Starts the program of this machine in its own place, so that no node process stays behind.
'use strict';
const target = `@SCOPE@/${process.platform}-${process.arch}`;
let file;
try {
  file = require.resolve(`${target}/bin/orphan-reaper`);
} catch {
  console.error(`orphan-reaper: the package ${target} is not installed.
There are packages for linux-x64 and linux-arm64. npm leaves them out with "omit=optional":
  npm install --include=optional orphan-reaper`);
  process.exit(4);
}
const args = process.argv.slice(2);
if (process.execve) {
  try {
    process.execve(file, [file, ...args], process.env);
  } catch {
    // Not permitted here: go on as an older node does.
  }
}
const { spawn } = require('node:child_process');
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];
const child = spawn(file, args, { stdio: 'inherit' });
child.on('error', (error) => {
  console.error(`orphan-reaper: ${file}: ${error.message}`);
  process.exit(4);
});
for (const signal of signals) process.on(signal, () => child.kill(signal));
child.on('exit', (status, signal) => {
  if (!signal) process.exit(status);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
