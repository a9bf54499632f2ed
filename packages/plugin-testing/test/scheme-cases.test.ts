import {
  type BuildInput,
  type BuildPlan,
  PortolanError,
  type Scheme,
  type SchemeKind,
} from '@portolan/plugin-api';
import { expect } from 'chai';
import { schemeCases, schemeContract, type SchemeUnderTest } from '../src/index.ts';
import { failingCases } from './support/failing-cases.ts';

const config = { type: 'object', description: 'Packages of paper.', properties: {} } as const;

function fault(what: string, code = 'ERR_PAPER'): PortolanError {
  return new PortolanError(code, 'mistake', what, { hint: 'Name another.' });
}

/** A scheme that keeps every promise; tests below break one at a time. */
const good: Scheme = {
  resolveVersion: async ({ name }, { signal }) => {
    signal?.throwIfAborted();
    if (name !== 'notes') throw fault(`There is no package ${name}.`, 'ERR_PACKAGE_NOT_FOUND');
    return '2.1.0';
  },
  planBuild: async ({
    baseImage = 'paper:1',
    environment,
    addedPackages,
    buildWith,
    caCertificates,
  }: BuildInput): Promise<BuildPlan> => ({
    dockerfile: [
      'ARG BASE=paper:1',
      'FROM ${BASE} AS build',
      ...Object.entries(environment).map(
        ([name, value]) => `ENV ${name}=${JSON.stringify(value).replaceAll('$', '\\$')}`,
      ),
      `RUN ${JSON.stringify(['add', ...addedPackages, ...buildWith])}`,
      'FROM build',
    ].join('\n'),
    baseImages: [baseImage],
    buildArguments: { BASE: baseImage },
    files: caCertificates === undefined ? [] : [{ path: 'ca.pem', mode: 0o644, content: caCertificates }],
  }),
  reachesHosts: async () => [{ host: '.paper.acme.example', port: 443 }],
};

const kind: SchemeKind = {
  kind: 'paper',
  config,
  packages: (text) => {
    if (!/^[a-z]+(@[\d.]+)?$/.test(text)) throw fault('This is no package.');
    return { from: 'index', name: text, extras: [], version: undefined, pinned: false };
  },
  create: () => good,
};

const notes = { from: 'index', name: 'notes', extras: [], version: undefined, pinned: false } as const;

const tried = (change: Partial<Scheme> = {}, ofKind: SchemeKind = kind): SchemeUnderTest => ({
  name: 'paper',
  kind: ofKind,
  blocks: [{}],
  create: () => ({ ...good, ...change }),
  reference: { ...notes, version: '2.1.0', pinned: true },
  options: () => ({ environment: {}, home: '/nowhere', workingDirectory: '/nowhere' }),
  index: { found: [{ reference: notes, version: '2.1.0' }], missing: [{ ...notes, name: 'missing' }] },
  packages: ['notes', 'notes@2.1.0'],
});

schemeContract(tried());

describe('schemeCases', () => {
  const planning = (change: (plan: BuildPlan, input: BuildInput) => Partial<BuildPlan>): Partial<Scheme> => ({
    planBuild: async (input, options) => {
      const plan = await good.planBuild(input, options);
      return { ...plan, ...change(plan, input) };
    },
  });
  let count = 0;

  const broken: readonly { title: string; change: Partial<Scheme>; fails: string }[] = [
    {
      title: 'plans something else each time',
      change: planning(() => ({ dockerfile: `FROM paper:1\n# ${(count += 1)}` })),
      fails: 'returns the same plan for the same input',
    },
    {
      title: 'starts from an image that it does not name',
      change: planning(({ dockerfile }) => ({ dockerfile: `FROM other:1 AS first\n${dockerfile}` })),
      fails: 'lists the base image of every stage',
    },
    {
      title: 'has an image of its own',
      change: planning(() => ({ baseImages: ['paper:1'] })),
      fails: 'uses the given base image',
    },
    {
      title: 'puts a file outside of the context',
      change: planning(() => ({ files: [{ path: '../ca.pem', mode: 0o644, content: 'Q09OVFJBQ1Q=' }] })),
      fails: 'puts its files below the build context, under unique paths',
    },
    {
      title: 'leaves certificates out',
      change: planning(() => ({ files: [] })),
      fails: 'includes the trusted certificates',
    },
    {
      title: 'writes values into steps',
      change: planning(({ dockerfile }, { environment }) => ({
        dockerfile: `${dockerfile}\nENV A=${Object.values(environment).join('')}`,
      })),
      fails: 'does not let a value inject a build step',
    },
    {
      title: 'writes packages into a shell',
      change: planning(({ dockerfile }, { addedPackages }) => ({
        dockerfile: `${dockerfile}\nRUN add ${addedPackages.join(' ').replaceAll('\n', ' ')}`,
      })),
      fails: 'does not let a value inject a build step',
    },
    {
      title: 'names hosts by their addresses',
      change: { reachesHosts: async () => [{ host: 'https://paper.acme.example/', port: 443 }] },
      fails: 'returns the hosts that a build connects to, by name and port',
    },
    {
      title: 'finds every package',
      change: { resolveVersion: async () => '2.1.0' },
      fails: 'names the package that the index lacks',
    },
  ];
  for (const { title, change, fails } of broken) {
    it(`fails for a scheme that ${title}`, async () => {
      expect(await failingCases(schemeCases(tried(change)))).to.include(fails);
    });
  }

  it('fails for a scheme that accepts any text as a package', async () => {
    const packages: SchemeKind['packages'] = (text) => ({ ...notes, name: text });
    expect(await failingCases(schemeCases(tried({}, { ...kind, packages })))).to.deep.equal([
      'refuses invalid packages with a code and a hint',
    ]);
  });
});
