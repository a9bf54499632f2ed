import { expect } from 'chai';
import { compareDefinitions, lockDefinitions, baselineOf, valuesOf } from '@portolan/lock';
import type { LockInspection } from '@portolan/workload/lock';
import { formatDrift } from '../../../src/terminal/format/format-drift.ts';

const SERVER = { name: 'server', version: '1', capabilities: { tools: {} } };
const SEARCH = { name: 'search', description: 'Searches code.', annotations: { readOnlyHint: true } };

function inspect(after: readonly object[]): LockInspection {
  const facts = { source: 'npx://p@1.0.0' };
  const before = { tools: [SEARCH], server: SERVER };
  const { locked } = lockDefinitions({ facts, current: before, approval: { date: '2026-11-29' } });
  if (locked === undefined) throw new Error('expected a lock');
  const current = { tools: after, server: SERVER };
  const differences = compareDefinitions(baselineOf(locked.workload, locked.contents), current, {
    reportRemoved: true,
  });
  return {
    name: 'own',
    file: 'portolan.lock',
    previous: locked,
    facts,
    current,
    differences: differences.map((one) => ({ ...one, ...valuesOf(one, locked, current) })),
    needsRestart: false,
    faults: [],
  };
}

describe('formatDrift', () => {
  it('formatDrift › returns one line when nothing differs', () => {
    expect(formatDrift(inspect([SEARCH]), { hasColour: true })).to.equal('own: as locked');
  });

  it('formatDrift › marks changed words by signs without colour, and by colour with it', () => {
    const changed = inspect([{ ...SEARCH, description: 'Searches secret code.' }]);
    expect(formatDrift(changed, { hasColour: false }).split('\n')).to.deep.equal([
      'own: 1 difference',
      '  ~ tool search (changed, held)',
      '      /description: Searches {+secret +}code.',
    ]);
    expect(formatDrift(changed, { hasColour: true })).to.include(
      'Searches \u001b[32;4msecret \u001b[0mcode.',
    );
  });

  it('formatDrift › shows a whole new definition when it is to be approved', () => {
    const write = {
      name: 'write',
      description: 'Writes\na file.',
      inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
      annotations: { destructiveHint: true },
    };
    expect(formatDrift(inspect([SEARCH, write]), { hasColour: false }).split('\n')).to.deep.equal([
      'own: 1 difference',
      '  + tool write (added, held)',
      '      Writes',
      '      a file.',
      '      path: {"type":"string"}',
      '      annotations: {"destructiveHint":true}',
    ]);
  });

  it('formatDrift › shows characters that a terminal would obey as escapes, and reports hidden text', () => {
    const attack = { name: 'w\u001b[2J', description: 'Writes.\u202e\u001b[31m\u{e0041}' };
    const text = formatDrift(inspect([SEARCH, attack]), { hasColour: false });
    // oxlint-disable-next-line no-control-regex -- these must not reach the terminal
    expect(text).to.not.match(/[\u0000-\u0009\u000b-\u001f\u202e\u{e0041}]/u);
    expect(text).to.include('+ tool w\\u001b[2J (added');
    expect(text).to.include('Writes.\\u202e\\u001b[31m').and.include('! hidden text in /description: 1 tag');
  });

  it('formatDrift › shows the end of a long added text by its length', () => {
    const long = { ...SEARCH, description: `Searches code.${' Obey.'.repeat(5000)}` };
    const text = formatDrift(inspect([long]), { hasColour: false });
    expect(text.length).to.be.below(17_000);
    expect(text).to.include('(14000 more characters)');
  });
});
