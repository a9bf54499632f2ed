/**
 * A conformance server over standard input and output. The first argument is its era. A second argument `all`
 * adds the features of the other era.
 */
import { argv } from 'node:process';

const [, , era] = argv;
// Import only the required SDK, because a suite starts many processes.
if (era === 'legacy') {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  const { createLegacyServer } = await import('./legacy-server.ts');
  const features = argv[3] === 'all' ? (await import('./legacy-inputs.ts')).MODERN_FEATURES : {};
  await createLegacyServer(features).connect(new StdioServerTransport());
} else {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const { createModernServer } = await import('./modern-server.ts');
  serveStdio(() => createModernServer(), { legacy: era === 'modern' ? 'reject' : 'serve' });
}
