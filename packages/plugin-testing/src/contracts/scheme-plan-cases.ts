import { type BuildInput, type BuildPlan, isPortolanError, type Scheme } from '@portolan/plugin-api';
import { expect } from 'chai';
import { deepFrozen } from '../deep-frozen.ts';
import type { ContractCase } from './contract-case.ts';
import type { SchemeUnderTest, UseScheme } from './scheme-under-test.ts';

const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nQ09OVFJBQ1Q=\n-----END CERTIFICATE-----\n';

/** What would be a step of its own if it got out of the value in which it stands. */
const BREAKING_OUT = [
  'a\nRUN touch /broken-out',
  'a"\nRUN touch /broken-out\n"',
  "a'\nRUN touch /broken-out\n'",
  'a\\\nRUN touch /broken-out',
  '$(touch /broken-out)',
];

/** The value as a step, or run by one; behind `[` no shell reads it. */
const STEP_OF_VALUE = /^\s*RUN (touch|(?!\[).*\$\(touch)/m;

/** What schemes promise of the images that they plan. */
export function planCases(
  input: BuildInput,
  { options }: SchemeUnderTest,
  use: UseScheme,
): readonly ContractCase[] {
  const plan = (scheme: Scheme, change: Partial<BuildInput> = {}): Promise<BuildPlan> =>
    scheme.planBuild(deepFrozen({ ...input, ...change }), options());
  return [
    {
      title: 'makes the same plan of the same input',
      run: use(async (scheme) => {
        expect(await plan(scheme)).to.deep.equal(await plan(scheme));
      }),
    },
    {
      title: 'names every image that a stage starts from, to be provided before',
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
      title: 'starts from the image that it is told to',
      run: use(async (scheme) => {
        const { baseImages } = await plan(scheme, { baseImage: 'registry.acme.example/base:1' });
        expect(baseImages).to.include('registry.acme.example/base:1');
      }),
    },
    {
      title: 'puts its files below the context, each under a path of its own',
      run: use(async (scheme) => {
        const { files } = await plan(scheme, { caCertificates: CERTIFICATE });
        const paths = files.map(({ path }) => path);
        expect(new Set(paths).size).to.equal(paths.length);
        for (const path of paths) expect(path).to.match(/^(?!\/)(?!.*(^|\/)\.\.?(\/|$))[^\0\n]+$/);
      }),
    },
    {
      title: 'brings the certificates that are to be trusted',
      run: use(async (scheme) => {
        const { files } = await plan(scheme, { caCertificates: CERTIFICATE });
        expect(files.some((file) => 'content' in file && file.content.includes('Q09OVFJBQ1Q='))).to.equal(
          true,
        );
      }),
    },
    {
      title: 'lets no value become a step of the build',
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
      title: 'names the hosts that a build has to reach, by name and port',
      run: use(async (scheme) => {
        for (const { host, port } of await scheme.reachesHosts(input, options())) {
          expect(host).to.match(/^\.?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$|^\[?[0-9a-f:.]+\]?$/i);
          expect(port).to.be.within(1, 65_535);
        }
      }),
    },
  ];
}

/** Images behind `FROM` that are no earlier stage, arguments filled in. */
function imagesOf(dockerfile: string, given: Readonly<Record<string, string>>): readonly string[] {
  const defaults = [...dockerfile.matchAll(/^ARG\s+(\w+)=(\S+)/gim)].map(([, name, value]) => [name, value]);
  const values: Readonly<Record<string, string>> = { ...Object.fromEntries(defaults), ...given };
  const stages = [...dockerfile.matchAll(/^FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?/gim)];
  const names = new Set(stages.map(([, , name]) => name));
  const images = stages.map(([, image = '']) =>
    image.replaceAll(/\$\{?(\w+)\}?/g, (_match, name: string) => values[name] ?? ''),
  );
  return [...new Set(images.filter((image) => !names.has(image) && image !== 'scratch'))];
}

/** A plan's steps; none where the value is refused. Lines that go on are one step. */
async function stepsOf(planned: Promise<BuildPlan>): Promise<string> {
  try {
    return (await planned).dockerfile.replaceAll(/\\\n/g, '');
  } catch (error) {
    if (isPortolanError(error)) return '';
    throw error;
  }
}
