import { expect } from 'chai';
import { formatPrompts, formatResources, formatTools } from '../../src/mcp/format-lists.ts';

describe('lists of what a server offers', () => {
  it('show tools with their arguments, and a line of what they are for', () => {
    const properties = { city: { type: 'string' }, days: { type: 'integer' } };
    const text = formatTools([
      {
        name: 'forecast',
        description: 'What comes\u001B[2J\nand more',
        inputSchema: { type: 'object', properties, required: ['city'] },
      },
      { name: 'now', inputSchema: { type: 'object' } },
    ]);
    expect(text.split('\n')).to.deep.equal([
      'NAME      ARGUMENTS    DESCRIPTION',
      'forecast  city [days]  What comes',
      'now',
    ]);
  });

  it('cut what is long', () => {
    const text = formatTools([{ name: 'a', description: 'x'.repeat(500), inputSchema: { type: 'object' } }]);
    expect(Math.max(...text.split('\n').map((line) => line.length))).to.be.lessThan(100);
  });

  it('show prompts and resources, templates last', () => {
    const prompts = formatPrompts([
      { name: 'pack', arguments: [{ name: 'city', required: true }, { name: 'bag' }] },
    ]);
    expect(prompts).to.contain('pack  city [bag]');
    const resources = formatResources({
      resources: [{ uri: 'a://b', name: 'B', mimeType: 'text/plain' }],
      resourceTemplates: [{ uriTemplate: 'a://{x}', name: 'X' }],
    });
    expect(resources.split('\n')).to.deep.equal([
      'URI      TYPE        NAME',
      'a://b    text/plain  B',
      'a://{x}              X',
    ]);
  });

  it('say when there is nothing', () => {
    expect([
      formatTools([]),
      formatPrompts([]),
      formatResources({ resources: [], resourceTemplates: [] }),
    ]).to.deep.equal(['no tools', 'no prompts', 'no resources']);
  });
});
