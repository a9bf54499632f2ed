import {
  type BuildInput,
  type BuildPlan,
  type IndexedPackage,
  isPortolanError,
  type PackageParser,
  type PluginContext,
  type Scheme,
  type SchemeKind,
  type SchemeOptions,
} from '@portolan/plugin-api';
import { expect } from 'chai';
import { deepFrozen } from '../deep-frozen.ts';
import { inTime } from '../eventually.ts';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { createTestContext } from '../test-context.ts';
import { type ContractCase, isHelpful, registerContract, rejectionOf } from './contract-case.ts';
import { kindCases } from './kind-cases.ts';

/**
 * Registers the suite that every scheme kind must pass. It builds no image, and replaces package indexes with
 * stubs.
 */
export function schemeContract(options: SchemeUnderTest): void {
  registerContract(`scheme contract: ${options.name}`, schemeCases(options));
}

type UseScheme = (action: (scheme: Scheme) => Promise<void>) => () => Promise<void>;

export interface SchemeUnderTest {
  readonly name: string;
  readonly kind: SchemeKind;
  readonly blocks?: readonly unknown[];
  /** Creates an instance, whose `fetch` only reaches a stub of the index, for each test. */
  readonly create: (context: PluginContext) => Scheme | Promise<Scheme>;
  readonly reference: BuildInput['reference'];
  readonly options: () => SchemeOptions;
  /** Packages that the stub has and lacks, for kinds that query an index. */
  readonly index?: {
    readonly found: readonly { readonly reference: IndexedPackage; readonly version: string }[];
    readonly missing: readonly IndexedPackage[];
  };
  /** Valid texts after `://`, for a kind with its own parser. */
  readonly packages?: readonly string[];
  readonly withinMs?: number;
}

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
      title: 'has a valid scheme name, and declares the ecosystem of its packages',
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
      title: 'parses packages, with the same result each time',
      run: async () => {
        expect(packages, 'packages to try').to.not.deep.equal([]);
        for (const text of packages) expect(parse(text), text).to.deep.equal(parse(text));
      },
    },
    {
      title: 'refuses invalid packages with a code and a hint',
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
      title: 'resolves a reference to the exact version from the index',
      run: use(async (scheme) => {
        expect(found, 'references to try').to.not.deep.equal([]);
        for (const { reference, version } of found) {
          expect(await scheme.resolveVersion(deepFrozen(reference), options())).to.equal(version);
        }
      }),
    },
    {
      title: 'names the package that the index lacks',
      run: use(async (scheme) => {
        for (const reference of missing) {
          const error = await rejectionOf(scheme.resolveVersion(reference, options()));
          expect(error).to.satisfy(isHelpful).and.to.include({ code: 'ERR_PACKAGE_NOT_FOUND' });
          expect(error).to.have.property('message').that.includes(reference.name);
        }
      }),
    },
    {
      title: 'sends no request when its signal has aborted',
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

const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nQ09OVFJBQ1Q=\n-----END CERTIFICATE-----\n';

/** Values that would inject a build step if they were not quoted. */
const BREAKING_OUT = [
  'a\nRUN touch /broken-out',
  'a"\nRUN touch /broken-out\n"',
  "a'\nRUN touch /broken-out\n'",
  'a\\\nRUN touch /broken-out',
  '$(touch /broken-out)',
];

/**
 * Matches a build step that a value injected, or a shell command inside a step. The exec form with `[` uses
 * no shell.
 */
const STEP_OF_VALUE = /^\s*RUN (touch|(?!\[).*\$\(touch)/m;

function planCases(input: BuildInput, { options }: SchemeUnderTest, use: UseScheme): readonly ContractCase[] {
  const plan = (scheme: Scheme, change: Partial<BuildInput> = {}): Promise<BuildPlan> =>
    scheme.planBuild(deepFrozen({ ...input, ...change }), options());
  return [
    {
      title: 'returns the same plan for the same input',
      run: use(async (scheme) => {
        expect(await plan(scheme)).to.deep.equal(await plan(scheme));
      }),
    },
    {
      title: 'lists the base image of every stage',
      run: use(async (scheme) => {
        for (const change of [{}, { baseImage: 'registry.acme.example/base:1' }]) {
          const { dockerfile, baseImages, buildArguments } = await plan(scheme, change);
          expect(imagesOf(dockerfile, buildArguments)).to.have.members(
            baseImages.filter((one) => one !== 'scratch'),
          );
        }
      }),
    },
    {
      title: 'uses the given base image',
      run: use(async (scheme) => {
        const { baseImages } = await plan(scheme, { baseImage: 'registry.acme.example/base:1' });
        expect(baseImages).to.include('registry.acme.example/base:1');
      }),
    },
    {
      title: 'puts its files below the build context, under unique paths',
      run: use(async (scheme) => {
        const { files } = await plan(scheme, { caCertificates: CERTIFICATE });
        const paths = files.map(({ path }) => path);
        expect(new Set(paths).size).to.equal(paths.length);
        for (const path of paths) expect(path).to.match(/^(?!\/)(?!.*(^|\/)\.\.?(\/|$))[^\0\n]+$/);
      }),
    },
    {
      title: 'includes the trusted certificates',
      run: use(async (scheme) => {
        const { files } = await plan(scheme, { caCertificates: CERTIFICATE });
        expect(files.some((file) => 'content' in file && file.content.includes('Q09OVFJBQ1Q='))).to.equal(
          true,
        );
      }),
    },
    {
      title: 'does not let a value inject a build step',
      run: use(async (scheme) => {
        for (const text of BREAKING_OUT) {
          for (const change of [
            { environment: { GREETING: text } },
            { addedPackages: [text] },
            { buildWith: [text] },
          ]) {
            expect(await stepsOf(plan(scheme, change)), JSON.stringify(change)).to.not.match(STEP_OF_VALUE);
          }
        }
      }),
    },
    {
      title: 'returns the hosts that a build connects to, by name and port',
      run: use(async (scheme) => {
        for (const { host, port } of await scheme.reachesHosts(input, options())) {
          expect(host).to.match(/^\.?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$|^\[?[0-9a-f:.]+\]?$/i);
          expect(port).to.be.within(1, 65_535);
        }
      }),
    },
  ];
}

/** Returns the images after `FROM` with arguments filled in, without earlier stages. */
function imagesOf(dockerfile: string, input: Readonly<Record<string, string>>): readonly string[] {
  const defaults = [...dockerfile.matchAll(/^ARG\s+(\w+)=(\S+)/gim)].map(([, name, value]) => [name, value]);
  const values: Readonly<Record<string, string>> = { ...Object.fromEntries(defaults), ...input };
  const stages = [...dockerfile.matchAll(/^FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?/gim)];
  const names = new Set(stages.map(([, , name]) => name));
  const images = stages.map(([, image = '']) =>
    image.replaceAll(/\$\{?(\w+)\}?/g, (_match, name: string) => values[name] ?? ''),
  );
  return [...new Set(images.filter((image) => !names.has(image) && image !== 'scratch'))];
}

/** Returns the steps with continued lines joined; empty when the value is rejected. */
async function stepsOf(planned: Promise<BuildPlan>): Promise<string> {
  try {
    return (await planned).dockerfile.replaceAll(/\\\n/g, '');
  } catch (error) {
    if (isPortolanError(error)) return '';
    throw error;
  }
}
