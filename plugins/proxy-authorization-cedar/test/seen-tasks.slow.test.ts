import { expect } from 'chai';
import { SeenTasks } from '../src/decisions/seen-tasks.ts';
import type { Target } from '../src/request/target.ts';

describe('SeenTasks', () => {
  const taskOf = (name: string, arg: string) => ({
    target: { feature: 'tool' as const, name, args: { arg_text: arg } },
    owner: 'ann',
  });

  it('finds tasks by id, and replaces duplicates', () => {
    const tasks = new SeenTasks<Target>();
    tasks.learn({ task: { taskId: 'a' } }, taskOf('one', ''));
    tasks.learn({ resultType: 'task', taskId: 'b' }, taskOf('two', ''));
    tasks.learn({ task: { taskId: 'a' } }, taskOf('three', ''));
    tasks.learn({ content: [] }, taskOf('four', ''));
    expect(['a', 'b', 'c'].map((id) => tasks.find(id)?.target.name)).to.deep.equal([
      'three',
      'two',
      undefined,
    ]);
  });

  it('evicts the oldest tasks when their arguments exceed the memory limit', () => {
    const tasks = new SeenTasks<Target>();
    const text = 'x'.repeat(1024 * 1024);
    for (let id = 0; id < 1000; id += 1)
      tasks.learn({ task: { taskId: String(id) } }, taskOf('t', `${id} ${text}`));
    const known = Array.from({ length: 1000 }, (_none, id) => tasks.find(String(id))).filter(Boolean);
    expect(known.length).to.be.within(10, 100);
    expect(tasks.find('999')?.target.name).to.equal('t');
    expect(tasks.find('0')).to.equal(undefined);
  });
});
