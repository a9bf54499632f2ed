import { expect } from 'chai';
import { problemsOf, withName } from '../../src/admin/forms/problems.ts';

const refusal = (json: object) => ({ status: 400, headers: {}, json });
const PLACES = { fieldOf: (place: string) => (place === 'body' ? undefined : place) };

describe('problemsOf', () => {
  it('puts each hint next to its problem, without duplicates', () => {
    const answer = refusal({
      error: 'Both are wrong.',
      hint: 'Mend the first. Mend the second.',
      issues: [
        { path: 'one', message: 'It is wrong', hint: 'Mend the first.' },
        { path: 'two', message: 'It is wrong, too.', hint: 'Mend the second.' },
      ],
    });
    expect([...problemsOf(answer, PLACES)]).to.deep.equal([
      ['one', ['It is wrong. Mend the first.']],
      ['two', ['It is wrong, too. Mend the second.']],
    ]);
  });

  it('puts a hint for several problems on top, and a hint for one next to it', () => {
    const [first, second] = [
      { path: 'one', message: 'It is wrong.' },
      { path: 'two', message: 'It is wrong.' },
    ];
    const hint = 'Mend it.';
    expect([...problemsOf(refusal({ issues: [first, second], hint }), PLACES)]).to.deep.equal([
      ['one', ['It is wrong.']],
      ['two', ['It is wrong.']],
      ['', ['Mend it.']],
    ]);
    expect([...problemsOf(refusal({ issues: [first], hint }), PLACES)]).to.deep.equal([
      ['one', ['It is wrong. Mend it.']],
    ]);
    expect([...problemsOf(refusal({ error: 'All of it is wrong', hint }), PLACES)]).to.deep.equal([
      ['', ['All of it is wrong. Mend it.']],
    ]);
  });

  it('says "Needed" for an empty field, and names the path when there is no field', () => {
    const issues = [
      { path: 'one', message: 'Found nothing; expected a text.' },
      { path: 'body', message: 'Found 7; expected an object.' },
    ];
    expect([...problemsOf(refusal({ issues }), PLACES)]).to.deep.equal([
      ['one', ['Needed: a text.']],
      ['', ['body: Found 7; expected an object.']],
    ]);
  });

  it("replaces the API's hint for a taken name", () => {
    const places = withName({ ...PLACES, byCode: { ERR_TAKEN: 'name' } });
    const hint = 'Change it in the file.';
    expect([
      ...problemsOf(refusal({ code: 'ERR_TAKEN', error: 'It is there.', hint }), places),
    ]).to.deep.equal([['name', ['It is there. Choose another name.']]]);
    const issues = [{ path: 'name', message: 'It is spelled badly.' }];
    expect([...problemsOf(refusal({ issues }), places)]).to.deep.equal([['name', ['It is spelled badly.']]]);
  });
});
