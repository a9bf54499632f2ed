import { expect } from 'chai';
import { IdMap } from '../../src/message/id-map.ts';
import { readId } from '../../src/message/parse-message.ts';

describe('IdMap', () => {
  it('creates a new id for every request, and never the same twice', () => {
    const map = new IdMap<{ minted: { text: string; key: string } }>('p');
    const first = map.add((minted) => ({ minted }));
    expect(first.minted.text).to.equal('"p-1"');
    map.take(first.minted);
    expect(map.add((minted) => ({ minted })).minted.text).to.equal('"p-2"');
  });

  it('returns the entry of an id once, and none for an unknown id', () => {
    const map = new IdMap<string>('p');
    map.add(() => 'anna');
    const [mine, number, other] = ['"p-1"', '1', '"p-2"'].map((text) => readId(text));
    if (mine === undefined || number === undefined || other === undefined) throw new TypeError('ids');
    expect([map.take(number), map.take(other), map.find(mine)]).to.deep.equal([undefined, undefined, 'anna']);
    expect([map.take(mine), map.take(mine), map.size]).to.deep.equal(['anna', undefined, 0]);
  });

  it('finds an id that is written with escapes', () => {
    const map = new IdMap<string>('p');
    map.add(() => 'anna');
    const escaped = readId('"\\u0070-1"');
    if (escaped === undefined) throw new TypeError('an id');
    expect(map.take(escaped)).to.equal('anna');
  });
});
