import { expect } from 'chai';
import fc from 'fast-check';
import { Seal } from '../../src/sealing/seal.ts';
import { TaskIds } from '../../src/sealing/task-ids.ts';

describe('sealed values', () => {
  it('Seal › opens what it closed for the same purpose, and nothing else', () => {
    const seal = new Seal();
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = seal.close('cursor', value);
        expect(JSON.stringify(seal.open('cursor', text))).to.equal(JSON.stringify(value));
        expect(seal.open('state', text)).to.equal(undefined);
        expect(new Seal().open('cursor', text)).to.equal(undefined);
      }),
    );
  });

  it('Seal › refuses every altered text', () => {
    const seal = new Seal();
    const text = seal.close('cursor', { at: 7 });
    for (let at = 0; at < text.length; at += 1) {
      const other = text[at] === 'A' ? 'B' : 'A';
      const altered = text.slice(0, at) + other + text.slice(at + 1);
      expect(seal.open('cursor', altered), String(at)).to.equal(undefined);
    }
    for (const short of ['', 'A', 'AAAA', '{}', text.slice(0, 30)])
      expect(seal.open('cursor', short)).to.equal(undefined);
  });

  it('TaskIds › gives a task one id, which only this process can have made', () => {
    const ids = new TaskIds();
    const task = { member: 'github', taskId: 'τ/1' };
    const id = ids.seal(task);
    expect(ids.seal(task)).to.equal(id);
    expect(ids.open(id)).to.deep.equal(task);
    expect(new TaskIds().open(id)).to.equal(undefined);
    for (const text of ['', 'x', id.slice(1), `${id}A`, task.taskId])
      expect(ids.open(text)).to.equal(undefined);
  });

  it('TaskIds › replaces ids where tasks have them, and nowhere else', () => {
    const ids = new TaskIds();
    const related = { 'io.modelcontextprotocol/related-task': { taskId: 't' } };
    const content = [{ type: 'text', text: '"taskId"', taskId: 't' }];
    const result = { taskId: 't', task: { taskId: 't', n: 1 }, content, _meta: related };
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result });
    const sealed = ids.sealIn('github', 'result', text);
    const id = ids.seal({ member: 'github', taskId: 't' });
    expect(sealed.split(id)).to.have.length(4);
    expect(sealed).to.include(JSON.stringify(content));
    expect(ids.openIn('github', 'result', sealed)).to.equal(text);
    expect(ids.openIn('other', 'result', sealed)).to.equal(sealed);
  });
});
