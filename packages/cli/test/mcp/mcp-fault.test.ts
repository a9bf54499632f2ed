import { expect } from 'chai';
import { mcpFault } from '../../src/mcp/mcp-fault.ts';

const SERVER = {
  label: 'weather',
  url: new URL('https://mcp.acme.example/mcp'),
  transport: 'streamable-http',
  headers: {},
} as const;

describe('mcpFault', () => {
  for (const { name, fields } of [
    { name: 'the code 429 of a rate limit', fields: { code: 429 } },
    { name: 'the code 403 of a webhook', fields: { code: 403 } },
    { name: 'the status 429', fields: { status: 429 } },
  ]) {
    it(`names the log of the proxy first for ${name}`, () => {
      const error = mcpFault(Object.assign(new Error('refused'), fields), SERVER);
      expect(error).to.include({ code: 'ERR_MCP_ANSWER' });
      expect(error.hint).to.match(/^`portolan logs NAME --proxy` /);
    });
  }

  it('names the log of the server first for an error of the server', () => {
    const error = mcpFault(Object.assign(new Error('broken'), { code: -32603 }), SERVER);
    expect(error.hint).to.match(/^`portolan logs NAME` /);
  });
});
