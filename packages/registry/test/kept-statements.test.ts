import { expect } from 'chai';
import { KeptStatements } from '../src/store/sqlite/kept-statements.ts';

describe('kept statements', () => {
  let prepared: string[];
  let kept: KeptStatements<string>;
  const use = (text: string): string =>
    kept.of(text, () => {
      prepared.push(text);
      return text.toUpperCase();
    });

  beforeEach(() => {
    prepared = [];
    kept = new KeptStatements(10);
  });

  it('are prepared once', () => {
    expect([use('aaa'), use('bbb'), use('aaa')]).to.deep.equal(['AAA', 'BBB', 'AAA']);
    expect(prepared).to.deep.equal(['aaa', 'bbb']);
  });

  it('give way when their texts are longer than allowed together, the one that was not used for longest first', () => {
    for (const text of ['aaa', 'bbb', 'ccc', 'aaa', 'dddd']) use(text);
    expect(prepared.splice(0)).to.deep.equal(['aaa', 'bbb', 'ccc', 'dddd']);
    for (const text of ['aaa', 'ccc', 'dddd', 'bbb']) use(text);
    expect(prepared).to.deep.equal(['bbb']);
  });

  it('do not keep one that is longer than allowed, nor anything after they were cleared', () => {
    use('a'.repeat(11));
    use('a'.repeat(11));
    use('b');
    kept.clear();
    use('b');
    expect(prepared).to.deep.equal(['a'.repeat(11), 'a'.repeat(11), 'b', 'b']);
  });
});
