import type { Member, SearchFields } from '@portolan/run-spec';
import { expect } from 'chai';
import { type MemberTools, planNames, type PlannedNames } from '../../../src/run/plan/plan-names.ts';

const member = (
  name: string,
  tools: readonly string[],
  settings: Member = { workload: name },
  { from }: Pick<MemberTools, 'from'> = { from: 'workload' },
): MemberTools => ({ name, settings, from, tools: tools.map((tool) => ({ name: tool, description: 'x' })) });

/** Exposed names with their origin; a hidden one ends with the reason. */
const rowsOf = ({ names }: PlannedNames): readonly string[] =>
  names.map(({ name, member: of, own_name: own, hidden }) =>
    [`${name} = ${of}/${own}`, ...(hidden === undefined ? [] : [hidden])].join(', '),
  );

describe('planNames', () => {
  const rows: readonly {
    readonly title: string;
    readonly members: readonly MemberTools[];
    readonly search?: SearchFields;
    readonly names: readonly string[];
  }[] = [
    {
      title: 'lists names in the order of the members',
      members: [member('b', ['y', 'x']), member('a', ['z'])],
      names: ['b_y = b/y', 'b_x = b/x', 'a_z = a/z'],
    },
    {
      title: 'leaves out tools that the settings do not name',
      members: [member('a', ['x', 'y'], { workload: 'a', tools: ['y'] })],
      names: ['a_y = a/y'],
    },
    {
      title: 'shows the name of an override, and names without a prefix',
      members: [member('a', ['x', 'y'], { workload: 'a', prefix: false, override: { x: { name: 'z' } } })],
      names: ['z = a/x', 'y = a/y'],
    },
    {
      title: 'hides both tools of a conflict',
      members: [member('a', ['x'], { workload: 'a', prefix: 'p' }), member('b', ['x'], { prefix: 'p' })],
      names: ['p_x = a/x, another tool has the same name', 'p_x = b/x, another tool has the same name'],
    },
    {
      title: 'hides a name of the tool search while search can be on',
      members: [member('a', ['find_tool'], { workload: 'a', prefix: false })],
      search: { mode: 'auto' },
      names: ['find_tool = a/find_tool, the tool search has this name'],
    },
    {
      title: 'shows a name of the tool search while search is off',
      members: [member('a', ['find_tool'], { workload: 'a', prefix: false })],
      names: ['find_tool = a/find_tool'],
    },
    {
      title: 'hides an invalid name',
      members: [member('a', ['x y'])],
      names: ['a_x y = a/x y, it has other characters than A-Z, a-z, 0-9, "_", "." and "-"'],
    },
  ];
  for (const { title, members, search, names } of rows) {
    it(title, () => {
      expect(rowsOf(planNames(members, search))).to.deep.equal(names);
    });
  }

  it('names both tools of each conflict, and the override that resolves it', () => {
    const prefix = { prefix: false } as const;
    const { conflicts, list } = planNames(
      [member('a', ['x'], prefix), member('b', ['x'], prefix), member('c', ['x'], prefix)],
      undefined,
    );
    expect(conflicts.map(({ tools }) => tools)).to.deep.equal([
      ['a/x', 'b/x'],
      ['a/x', 'c/x'],
      ['b/x', 'c/x'],
    ]);
    expect(conflicts[0]?.resolution).to.include('members.b.override');
    expect(list.tools).to.equal(0);
  });

  it('marks names over 60 characters', () => {
    const { names } = planNames([member('a', ['x'.repeat(58), 'x'.repeat(59)])], undefined);
    expect(names.map(({ is_long: isLong }) => isLong)).to.deep.equal([false, true]);
  });

  it('counts the tokens of listed tools with their exposed names and descriptions', () => {
    const override = { x: { name: 'y', description: 'd'.repeat(400) } };
    const { list } = planNames([member('a', ['x'], { override })], undefined);
    const json = JSON.stringify([{ name: 'y', description: 'd'.repeat(400) }]);
    expect(list).to.deep.equal({
      tools: 1,
      tokens: Math.ceil(json.length / 4),
      unknown: [],
      has_search: false,
    });
  });

  it('leaves tools without known descriptions out of the tokens', () => {
    const { list } = planNames(
      [member('a', ['x'], {}, { from: 'record' }), member('b', [], {}, { from: undefined })],
      undefined,
    );
    expect(list).to.include({ tools: 1, tokens: 0 });
    expect(list.unknown).to.deep.equal(['a', 'b']);
  });

  const searches: readonly (readonly [SearchFields | undefined, MemberTools['from'], boolean | undefined])[] =
    [
      [undefined, 'workload', false],
      [undefined, undefined, false],
      [{ mode: 'always' }, undefined, true],
      [{ mode: 'auto', above_tokens: 1 }, 'workload', true],
      [{ mode: 'auto', above_tokens: 1000 }, 'workload', false],
      [{ mode: 'auto', above_tokens: 1000 }, 'record', undefined],
    ];
  for (const [search, from, isOn] of searches) {
    it(`says that search is ${String(isOn)} with ${JSON.stringify(search)} and tools of ${from}`, () => {
      expect(planNames([member('a', ['x'], {}, { from })], search).list.has_search).to.equal(isOn);
    });
  }

  it('warns of tools in the settings that the member does not list', () => {
    const settings = { tools: ['list_isues', 'get'], override: { get: { name: 'g' } } };
    const { warnings } = planNames([member('a', ['list_issues', 'get'], settings)], undefined);
    expect(warnings).to.deep.equal([
      'member a: the settings name the tool "list_isues", which it does not list; did you mean "list_issues"?',
    ]);
    expect(planNames([member('a', ['x'], settings, { from: 'file' })], undefined).warnings).to.deep.equal([]);
  });
});
