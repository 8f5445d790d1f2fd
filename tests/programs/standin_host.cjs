// Stand-in of a host that node runs: its children get socketpairs for stdio, not pipes. HOST as in standin_host.py.
'use strict';
const fs = require('fs');
const path = require('path');
const { spawn } = require('child_process');

const wish = JSON.parse(process.env.HOST);
setTimeout(() => process.exit(99), (wish.life || 100) * 1000);
const environment = { ...process.env };
delete environment.HOST;
for (const child of wish.children) {
  spawn(child.argv[0], child.argv.slice(1), { stdio: 'pipe', cwd: child.cwd, env: { ...environment, ...child.env } });
}
fs.writeFileSync(path.join(wish.dir, `${wish.name}.ready`), String(process.pid));
setInterval(() => fs.writeFileSync(path.join(wish.dir, `${wish.name}.beat`), String(Date.now())), 50);
