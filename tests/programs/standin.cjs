// The body of every stand-in that node runs. What it does comes from the environment, because argv has to be the real
// thing's.
//   STANDIN: {"name", "dir", "ignore_eof", "ignore_term", "port", "unix", "title", "life", "spawn", "slow_term"}
'use strict';
const fs = require('fs');
const net = require('net');
const path = require('path');
const { spawn } = require('child_process');

const wish = JSON.parse(process.env.STANDIN);
const file = (ending) => path.join(wish.dir, `${wish.name}.${ending}`);

// Nothing outlives a test that was forgotten.
setTimeout(() => process.exit(99), (wish.life || 100) * 1000);

process.on('SIGTERM', () => {
  fs.appendFileSync(file('signals'), 'TERM\n');
  if (wish.ignore_term) return;
  setTimeout(() => process.exit(0), wish.slow_term || 0);
});

if (!wish.detached) {
  process.stdin.on('error', () => {});
  process.stdout.on('error', () => {});
  process.stdin.on('end', () => { if (!wish.ignore_eof) process.exit(0); });
  process.stdin.resume();
}

if (wish.title !== undefined) process.title = wish.title;

// A file "<name>.run" holding a command line as JSON is run as a child, its output goes to files: for "the sweep is
// started from here".
function run_what_is_asked() {
  let asked;
  try { asked = JSON.parse(fs.readFileSync(file('run'), 'utf8')); } catch { return; }
  fs.unlinkSync(file('run'));
  const out = fs.openSync(file('out'), 'w');
  const err = fs.openSync(file('err'), 'w');
  const child = spawn(asked.argv[0], asked.argv.slice(1), { stdio: ['ignore', out, err], env: asked.env });
  child.on('exit', (code) => {
    fs.writeFileSync(file('code.new'), String(code));
    fs.renameSync(file('code.new'), file('code'));
  });
}

function ready() {
  fs.writeFileSync(file('ready'), String(process.pid));
  setInterval(() => {
    fs.writeFileSync(file('beat'), String(Date.now()));
    if (wish.spawns) run_what_is_asked();
  }, 50);
}

if (wish.port || wish.unix) {
  const server = net.createServer((peer) => peer.destroy());
  server.listen(wish.port ? { port: wish.port, host: '127.0.0.1' } : wish.unix, ready);
} else {
  ready();
}
