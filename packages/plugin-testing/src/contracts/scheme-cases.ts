import type { BuildInput, PackageParser } from '@portolan/plugin-api';
import { expect } from 'chai';
import { deepFrozen } from '../deep-frozen.ts';
import { inTime } from '../eventually.ts';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { createTestContext } from '../test-context.ts';
import type { ContractCase } from './contract-case.ts';
import { kindCases } from './kind-cases.ts';
import { isHelpful, rejectionOf } from './helpful-error.ts';
import { planCases } from './scheme-plan-cases.ts';
import type { SchemeUnderTest, UseScheme } from './scheme-under-test.ts';

/** What is no package of any ecosystem. */
const NO_PACKAGES = [
  '',
  ' ',
  '-y',
  '--help',
  'a b',
  'a\nb',
  'a\0b',
  '$(id)',
  '`id`',
  'a;id',
  'a|id',
  'a&&id',
  "a'b",
  'a"b',
];

/** What a scheme kind promises; see `Scheme` in `@portolan/plugin-api`. */
export function schemeCases(options: SchemeUnderTest): readonly ContractCase[] {
  const { kind, index } = options;
  const use: UseScheme = (action) => () =>
    leavesNothingOpen(async () => {
      const scheme = await options.create(createTestContext());
      await inTime('the end of the test', action(scheme), options);
    }, options);
  const input: BuildInput = {
    reference: options.reference,
    baseImage: undefined,
    addedPackages: [],
    buildWith: [],
    environment: {},
    caCertificates: undefined,
  };
  return [
    ...kindCases(kind, options.blocks),
    {
      title: 'has the name of a scheme that is no address, and says whose rules its packages follow',
      run: async () => {
        expect(kind.kind)
          .to.match(/^[a-z][a-z0-9+.-]*$/)
          .and.not.match(/^(https?|file)$/);
        if (typeof kind.packages !== 'function') expect(kind.packages).to.be.oneOf(['npm', 'python', 'go']);
      },
    },
    ...(typeof kind.packages === 'function' ? parserCases(kind.packages, options.packages ?? []) : []),
    ...(index === undefined ? [] : indexCases(index, options, use)),
    ...planCases(input, options, use),
  ];
}

function parserCases(parse: PackageParser, packages: readonly string[]): readonly ContractCase[] {
  return [
    {
      title: 'reads packages, the same each time',
      run: async () => {
        expect(packages, 'packages to try').to.not.deep.equal([]);
        for (const text of packages) expect(parse(text), text).to.deep.equal(parse(text));
      },
    },
    {
      title: 'refuses what is no package, with a code and a hint',
      run: async () => {
        for (const text of NO_PACKAGES) {
          expect(
            faultOf(() => parse(text)),
            JSON.stringify(text),
          ).to.satisfy(isHelpful);
        }
      },
    },
  ];
}

function indexCases(
  { found, missing }: NonNullable<SchemeUnderTest['index']>,
  { options }: SchemeUnderTest,
  use: UseScheme,
): readonly ContractCase[] {
  return [
    {
      title: 'finds the exact version that an index gives for a reference',
      run: use(async (scheme) => {
        expect(found, 'references to try').to.not.deep.equal([]);
        for (const { reference, version } of found) {
          expect(await scheme.resolveVersion(deepFrozen(reference), options())).to.equal(version);
        }
      }),
    },
    {
      title: 'says which package an index does not have',
      run: use(async (scheme) => {
        for (const reference of missing) {
          const error = await rejectionOf(scheme.resolveVersion(reference, options()));
          expect(error).to.satisfy(isHelpful).and.to.include({ code: 'ERR_PACKAGE_NOT_FOUND' });
          expect(error).to.have.property('message').that.includes(reference.name);
        }
      }),
    },
    {
      title: 'asks nobody when its signal has aborted',
      run: use(async (scheme) => {
        const signal = AbortSignal.abort(new Error('aborted by the test'));
        const [first] = found;
        if (first === undefined) return;
        const error = await rejectionOf(scheme.resolveVersion(first.reference, { ...options(), signal }));
        expect(error).to.equal(signal.reason);
      }),
    },
  ];
}

function faultOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
