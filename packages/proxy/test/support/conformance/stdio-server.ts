/** A conformance server by standard input and output; its argument says which eras it speaks, and `all` that it also has what the other suite asks. */
import { argv } from 'node:process';

const [, , era] = argv;
// Only what is needed: a suite starts many.
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
