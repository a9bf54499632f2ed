// A process that changes client files while others do the same: node client-worker.ts HOME NAME
import { addToClients } from '../../src/clients/update-clients.ts';
import { keepContext } from './keep-context.ts';

const [home = '', name = ''] = process.argv.slice(2);
const context = keepContext(home);
for (let index = 0; index < 3; index += 1) {
  const address = { name: `${name}-${index}`, url: 'http://127.0.0.1:18080/mcp', transport: 'sse' } as const;
  const warnings = await addToClients(address, 'default', context);
  if (warnings.length > 0) throw new Error(warnings.join('\n'));
}
