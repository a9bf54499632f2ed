import type {
  BuiltToolIndex,
  IndexedTool,
  PluginContext,
  ToolIndex,
  ToolIndexKind,
} from '@portolan/plugin-api';
import { expect } from 'chai';
import { deepFrozen } from '../deep-frozen.ts';
import { inTime } from '../eventually.ts';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { createTestContext } from '../test-context.ts';
import { type ContractCase, registerContract } from './contract-case.ts';
import { kindCases } from './kind-cases.ts';

/** Registers the suite that every tool index kind must pass. */
export function toolIndexContract(options: ToolIndexUnderTest): void {
  registerContract(`tool index contract: ${options.name}`, toolIndexCases(options));
}

export interface ToolIndexUnderTest {
  readonly name: string;
  readonly kind: ToolIndexKind;
  readonly blocks?: readonly unknown[];
  /** Creates an instance for each test; the suite closes it. */
  readonly create: (context: PluginContext) => ToolIndex | Promise<ToolIndex>;
  /** Maximum time for each case, in milliseconds. Default: 30,000. */
  readonly withinMs?: number;
}

/** Runs an action and closes the instance. Fails when a resource stays open. */
type UseIndex = (action: (index: ToolIndex) => Promise<void>) => () => Promise<void>;

const LARGE_LIST = 10_000;
const ODD_TEXTS = [
  '',
  ' \n\t',
  '__proto__ constructor toString',
  '*~"(+-)\\ AND OR NOT ^2 /.*/',
  '\0\ud800\u202e',
  '\u{1F600} 天気 погода i\u0307 ﬁle',
  'a'.repeat(100_000),
  'create issue '.repeat(20_000),
];

const TOOLS: readonly IndexedTool[] = [
  tool('github', 'create_issue', 'Create an issue in a repository', ['owner', 'repo', 'title', 'body']),
  tool('github', 'search_code', 'Search for code in repositories', ['query', 'page']),
  tool('weather', 'get_forecast', 'Weather forecast for a city', ['city', 'days']),
  tool('mail', 'send-message', 'Send an e-mail to a recipient', ['to', 'subject', 'text']),
  { key: 'files/readFile', name: 'files_readFile', member: 'files', parameters: [] },
];

function tool(member: string, own: string, description: string, parameters: readonly string[]): IndexedTool {
  return { key: `${member}/${own}`, name: `${member}_${own}`, member, description, parameters };
}

export function toolIndexCases(options: ToolIndexUnderTest): readonly ContractCase[] {
  const { withinMs = 30_000 } = options;
  const use: UseIndex = (action) => async () =>
    await leavesNothingOpen(async () => {
      const index = await options.create(createTestContext());
      try {
        await inTime('the end of the test', action(index), { withinMs });
      } finally {
        await index.close?.();
      }
    }, options);
  return [...kindCases(options.kind, options.blocks), ...resultCases(use), ...hostileCases(use)];
}

function resultCases(use: UseIndex): readonly ContractCase[] {
  return [
    {
      title: 'ranks the tool first whose name or description contains the words of the query',
      run: use(async (index) => {
        const built = await index.build(TOOLS);
        expect((await built.search('create an issue', 3))[0]).to.equal('github/create_issue');
        expect((await built.search('weather forecast for a city', 3))[0]).to.equal('weather/get_forecast');
        expect((await built.search('files_readFile', 3))[0]).to.equal('files/readFile');
      }),
    },
    {
      title: 'returns keys of its list, each once, and at most as many as the limit',
      run: use(async (index) => {
        const built = await index.build(TOOLS);
        const keys = TOOLS.map(({ key }) => key);
        for (const limit of [0, 1, 2, TOOLS.length, 1000]) {
          const matches = await built.search('create issue search code weather message file', limit);
          expect(matches.length).to.be.at.most(limit);
          expect(keys).to.include.members([...matches]);
          expect([...new Set(matches)]).to.deep.equal(matches);
        }
      }),
    },
    {
      title: 'returns the same keys for the same query, also from another index of the same list',
      run: use(async (index) => {
        const [one, other] = [await index.build(TOOLS), await index.build(TOOLS)];
        const first = await one.search('search the issues of a city', 5);
        expect(await one.search('search the issues of a city', 5)).to.deep.equal(first);
        expect(await other.search('search the issues of a city', 5)).to.deep.equal(first);
      }),
    },
    {
      title: 'separates the lists of tools that it indexes',
      run: use(async (index) => {
        const forecast = await index.build(TOOLS.filter(({ member }) => member === 'weather'));
        const others = await index.build(TOOLS.filter(({ member }) => member !== 'weather'));
        expect(await forecast.search('create an issue', 5)).to.not.include('github/create_issue');
        expect(await others.search('weather forecast', 5)).to.not.include('weather/get_forecast');
        expect(await forecast.search('weather forecast', 5)).to.deep.equal(['weather/get_forecast']);
      }),
    },
    {
      title: 'builds an index of an empty list, which matches nothing',
      run: use(async (index) => {
        expect(await (await index.build([])).search('create an issue', 5)).to.deep.equal([]);
      }),
    },
  ];
}

function hostileCases(use: UseIndex): readonly ContractCase[] {
  return [
    {
      title: 'accepts a query of any text and any length',
      run: use(async (index) => {
        const built = await index.build(TOOLS);
        for (const text of ODD_TEXTS) await expectKeys(built, text);
      }),
    },
    {
      title: 'indexes tools with any text, without changing them',
      run: use(async (index) => {
        const tools = ODD_TEXTS.map((text, at) => ({
          key: `odd/${at}`,
          name: text,
          member: text,
          title: text,
          description: text,
          parameters: [text, text],
        }));
        const built = await index.build(deepFrozen([...tools, ...TOOLS]));
        for (const text of ODD_TEXTS) await expectKeys(built, text);
        expect((await built.search('weather forecast', 5))[0]).to.equal('weather/get_forecast');
      }),
    },
    {
      title: 'indexes a list of 10,000 tools',
      run: use(async (index) => {
        const many = Array.from({ length: LARGE_LIST }, (_, at) =>
          tool(`member${at % 20}`, `do_thing_${at}`, `Does thing ${at} with option ${at % 97}`, [
            `option${at % 97}`,
          ]),
        );
        const built = await index.build([...many, ...TOOLS]);
        expect((await built.search('weather forecast', 5))[0]).to.equal('weather/get_forecast');
      }),
    },
    {
      title: 'can be closed twice',
      run: use(async (index) => {
        await index.build(TOOLS);
        await index.close?.();
        await index.close?.();
      }),
    },
  ];
}

async function expectKeys(built: BuiltToolIndex, query: string): Promise<void> {
  const matches = await built.search(query, 5);
  expect(matches, JSON.stringify(query.slice(0, 40))).to.be.an('array');
  expect(matches.length).to.be.at.most(5);
}
