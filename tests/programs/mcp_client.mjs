// The official client in its three modes: node mcp_client.mjs MODULES PROGRAM ARGUMENTS...
// Prints a line of JSON for each: the version that was agreed on, the tools, and what came of a
// report, a plan and a sweep, of which the person agrees to the last one.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [modules, program, ...args] = process.argv.slice(2);
const { resolve } = createRequire(`${modules}/none.js`);
const load = (name) => import(pathToFileURL(resolve(`@modelcontextprotocol/client${name}`)));
const { Client } = await load('');
const { StdioClientTransport } = await load('/stdio');

const modes = [{}, { versionNegotiation: { mode: 'auto' } },
               { versionNegotiation: { mode: { pin: '2026-07-28' } } }];
for (const mode of modes) {
  const client = new Client({ name: 'sdk', version: '1' },
                            { capabilities: { elicitation: { form: {} } }, ...mode });
  const asked = [];
  client.setRequestHandler('elicitation/create', async (request) => {
    asked.push(request.params.message);
    return { action: 'accept', content: { confirm: mode.versionNegotiation?.mode === 'auto' } };
  });
  await client.connect(new StdioClientTransport({ command: program, args, stderr: 'inherit' }));
  const { tools } = await client.listTools();
  const report = await client.callTool({ name: 'report', arguments: {} });
  const plan = await client.callTool({ name: 'plan_sweep', arguments: {} });
  const plan_id = plan.structuredContent.plan_id;
  const swept = plan_id && await client.callTool({ name: 'sweep', arguments: { plan_id } });
  console.log(JSON.stringify({
    version: client.getNegotiatedProtocolVersion(), tools: tools.map((tool) => tool.name),
    report: report.structuredContent, swept, asked }));
  await client.close();
}
