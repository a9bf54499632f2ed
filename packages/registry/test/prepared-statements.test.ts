import { expect } from 'chai';
import { PreparedStatements } from '../src/store/sqlite/sqlite-executor.ts';

describe('cache of prepared statements', () => {
  let prepared: string[];
  let kept: PreparedStatements<string>;
  const use = (text: string): string =>
    kept.of(text, () => {
      prepared.push(text);
      return text.toUpperCase();
    });

  beforeEach(() => {
    prepared = [];
    kept = new PreparedStatements(10);
  });

  it('prepares a statement once', () => {
    expect([use('aaa'), use('bbb'), use('aaa')]).to.deep.equal(['AAA', 'BBB', 'AAA']);
    expect(prepared).to.deep.equal(['aaa', 'bbb']);
  });

  it('evicts the least recently used statements above the limit of total text length', () => {
    for (const text of ['aaa', 'bbb', 'ccc', 'aaa', 'dddd']) use(text);
    expect(prepared.splice(0)).to.deep.equal(['aaa', 'bbb', 'ccc', 'dddd']);
    for (const text of ['aaa', 'ccc', 'dddd', 'bbb']) use(text);
    expect(prepared).to.deep.equal(['bbb']);
  });

  it('does not cache a statement above the limit, nor any after a clear', () => {
    use('a'.repeat(11));
    use('a'.repeat(11));
    use('b');
    kept.clear();
    use('b');
    expect(prepared).to.deep.equal(['a'.repeat(11), 'a'.repeat(11), 'b', 'b']);
  });
});
