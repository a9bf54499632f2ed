import { expect } from 'chai';
import { formatPrompts, formatResources, formatTools } from '../../src/mcp/format-lists.ts';

describe('formatTools, formatPrompts and formatResources', () => {
  it('show tools with their arguments and one line of description', () => {
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

  it('show the member of each tool of a virtual server', () => {
    const tools = ['github_x', 'find_tool'].map((name) => ({
      name,
      description: 'what it does',
      inputSchema: { type: 'object' as const, properties: { a: {} } },
    }));
    const members = new Map([['github_x', { member: 'github', ownName: 'x' }]]);
    expect(formatTools(tools, undefined, members).split('\n')).to.deep.equal([
      'NAME       MEMBER  ARGUMENTS  DESCRIPTION',
      'github_x   github  [a]        what it does',
      'find_tool  -       [a]        what it does',
    ]);
    for (const line of formatTools(tools, 41, members).split('\n')) expect(line.length).to.be.at.most(41);
  });

  it('shorten long texts', () => {
    const text = formatTools([{ name: 'a', description: 'x'.repeat(500), inputSchema: { type: 'object' } }]);
    expect(Math.max(...text.split('\n').map((line) => line.length))).to.be.lessThan(100);
  });

  it('fit the width of a terminal by shortening descriptions', () => {
    const properties = Object.fromEntries(
      ['sampling', 'resource', 'prompt', 'reference'].map((name) => [name, { type: 'string' }]),
    );
    const tools = ['trigger-long-running-operation', 'echo'].map((name) => ({
      name,
      description: 'Demonstrates what takes a long time, with words of progress meanwhile',
      inputSchema: { type: 'object' as const, properties },
    }));
    for (const width of [60, 80, 100, 200]) {
      const lines = formatTools(tools, width).split('\n');
      expect(Math.max(...lines.map((line) => line.length))).to.be.at.most(width);
      expect(lines[2]).to.match(/^echo +\[sampling\]\S* .*Demonstra/);
    }
    expect(formatTools(tools, 200)).to.equal(formatTools(tools));
    const prompts = [{ name: 'pack', description: 'x'.repeat(70), arguments: [] }];
    expect(formatPrompts(prompts, 60).split('\n')[1]).to.have.lengthOf(60).and.to.match(/x…$/);
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

  it('report an empty list', () => {
    expect([
      formatTools([]),
      formatPrompts([]),
      formatResources({ resources: [], resourceTemplates: [] }),
    ]).to.deep.equal(['no tools', 'no prompts', 'no resources']);
  });
});
