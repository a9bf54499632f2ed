import { expect } from 'chai';
import type { RenderedItem } from '../../src/middleware/rendered-list.ts';
import { callToolDefinition, findToolDefinition } from '../../src/search/search-definitions.ts';

function itemOf(member: string): RenderedItem {
  return { member, own: 'a', name: `${member}_a`, text: '{}', value: {} };
}

describe('findToolDefinition', () => {
  it('names each member once, in the order of the list', () => {
    const { description } = findToolDefinition(['github', 'notes', 'github'].map(itemOf));
    expect(description).to.match(/The tools come from: github, notes\.$/);
  });

  it('names as many members as fit into 1,000 characters', () => {
    const members = Array.from({ length: 500 }, (_, at) => `member${at}`);
    const description = String(findToolDefinition(members.map(itemOf))['description']);
    expect(description).to.match(/The tools come from: member0, .*member\d+ and others\.$/);
    expect(description.length).to.be.lessThan(1500);
  });

  it('names no member without tools', () => {
    expect(findToolDefinition([])['description']).to.not.include('come from');
  });
});

describe('callToolDefinition', () => {
  it('requires a name, and takes any object as arguments', () => {
    expect(callToolDefinition([])).to.deep.include({ name: 'call_tool' });
    expect(callToolDefinition([])['inputSchema']).to.deep.include({ required: ['name'] });
  });
});
