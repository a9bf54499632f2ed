import { BUILT_IN_TAPS, type ContainerSpec, type Plugin, PortolanError } from '@portolan/plugin-api';
import { openTestWorkloadKernel } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { checkContainerSpec } from '../../../src/supervisor/container/check-container-spec.ts';
import type { Hardening } from '../../../src/supervisor/container/harden-container.ts';
import { HardeningTap } from '../../../src/supervisor/container/hardening-tap.ts';
import { settleContainer } from '../../../src/supervisor/container/settle-container.ts';

const DRAFT: ContainerSpec = {
  name: 'notes',
  image: 'sha256:12',
  command: [],
  environment: { A: '1' },
  labels: {},
  mounts: [],
  stdin: 'open',
};
const HARDENING: Hardening = {
  privileged: false,
  writableRoot: false,
  user: '1000:1000',
  hasHome: false,
  limits: { memoryBytes: 1000, cpus: 2, processes: 100, openFiles: 100 },
};
const HARDENED: ContainerSpec = {
  ...DRAFT,
  environment: { HOME: '/tmp', A: '1' },
  user: '1000:1000',
  ...(HARDENING.limits === undefined ? {} : { limits: HARDENING.limits }),
};
const BEFORE = BUILT_IN_TAPS.containerStart.stage - 1;

type Change = (spec: ContainerSpec) => ContainerSpec;

const tapping = (name: string, change: Change, stage = 0): Plugin => ({
  name,
  apiVersion: 2,
  apply: ({ hooks }) => hooks.containerStart.tap({ name, stage }, change),
});

interface Setting {
  readonly draft?: ContainerSpec;
  readonly hardening?: Hardening;
  /** Whether the built-in tap is loaded. The default is true. */
  readonly isBuiltIn?: boolean;
}

/** Returns the final container specification with these plugins and a real kernel. */
async function settle(plugins: readonly Plugin[], setting: Setting = {}): Promise<ContainerSpec> {
  const { draft = DRAFT, hardening = HARDENING, isBuiltIn = true } = setting;
  const tap = new HardeningTap();
  const builtIn = isBuiltIn ? [tap.plugin] : [];
  const kernel = await openTestWorkloadKernel({ plugins, builtIn });
  const { hooks } = kernel;
  const containerStart: Parameters<typeof settleContainer>[0]['containerStart'] = (spec, { harden, check }) =>
    tap.during(spec.name, harden, () => hooks.containerStart(spec, check));
  try {
    return await settleContainer({ containerStart }, draft, {
      hardening,
      check: (before, changed, plugin) => checkContainerSpec(before, changed, { imageUser: 'root', plugin }),
    });
  } finally {
    await kernel.close();
  }
}

async function refusalOf(settled: Promise<unknown>): Promise<Error> {
  try {
    await settled;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was refused');
}

describe('settleContainer', () => {
  it('hardens the draft without any plugin', async () => {
    expect(await settle([])).to.deep.equal(HARDENED);
  });

  it('shows the draft to taps before hardening, and the hardened spec to taps after it', async () => {
    const seen: (readonly [string, ContainerSpec])[] = [];
    const looking = (name: string, stage: number): Plugin =>
      tapping(
        name,
        (spec) => {
          seen.push([name, spec]);
          return { ...spec, environment: { ...spec.environment, [name]: 'yes' } };
        },
        stage,
      );
    const spec = await settle([looking('after', 0), looking('before', BEFORE)]);
    expect(seen).to.deep.equal([
      ['before', DRAFT],
      ['after', { ...HARDENED, environment: { ...HARDENED.environment, before: 'yes' } }],
    ]);
    expect(spec.environment).to.deep.equal({ ...HARDENED.environment, before: 'yes', after: 'yes' });
  });

  it('keeps limits that an earlier tap has lowered, and resets limits that it has raised', async () => {
    const limits = { memoryBytes: 10, processes: 1_000_000 };
    const { limits: settled } = await settle([tapping('limits', (spec) => ({ ...spec, limits }), BEFORE)]);
    expect(settled).to.deep.equal({ memoryBytes: 10, cpus: 2, processes: 100, openFiles: 100 });
  });

  it('removes privileges that a transport requests, unless the profile allows them', async () => {
    const draft: ContainerSpec = {
      ...DRAFT,
      privileged: true,
      allowNewPrivileges: true,
      writableRoot: true,
      capabilities: ['SYS_ADMIN'],
      seccompProfile: '{}',
    };
    expect(await settle([], { draft })).to.deep.equal(HARDENED);
    const open = { ...HARDENING, privileged: true, writableRoot: true };
    expect(await settle([], { draft, hardening: open })).to.deep.equal({
      ...HARDENED,
      privileged: true,
      writableRoot: true,
    });
  });

  const weakenings: readonly { readonly title: string; readonly change: Change; readonly says: string }[] = [
    { title: 'privileges', change: (spec) => ({ ...spec, privileged: true }), says: 'privileged' },
    {
      title: 'a capability',
      change: (spec) => ({ ...spec, capabilities: ['SYS_ADMIN'] }),
      says: 'capabilities: added SYS_ADMIN',
    },
    { title: 'a writable root', change: (spec) => ({ ...spec, writableRoot: true }), says: 'writableRoot' },
    { title: 'another name', change: (spec) => ({ ...spec, name: 'other' }), says: 'name: changed' },
  ];
  for (const { title, change, says } of weakenings) {
    for (const [where, stage] of [['before', BEFORE] as const, ['after', 0] as const]) {
      it(`rejects ${title} from a tap ${where} hardening, and names its plugin`, async () => {
        const error = await refusalOf(settle([tapping('@acme/opener', change, stage)]));
        expect(error).to.be.instanceOf(PortolanError);
        expect(error).to.include({ code: 'ERR_HOOK_WEAKENS' });
        expect(error.message).to.include('@acme/opener').and.to.include(says);
      });
    }
  }

  it('rejects a tap that removes the user that hardening has set', async () => {
    const rootAgain = tapping('@acme/root', ({ user: _user, ...spec }) => spec);
    expect((await refusalOf(settle([rootAgain]))).message)
      .to.include('@acme/root')
      .and.to.include('user');
  });

  it('checks the spec of a tap even if the tap then throws', async () => {
    const thrower = tapping('@acme/thrower', () => {
      throw new Error('x');
    });
    expect(await refusalOf(settle([thrower]))).to.include({ code: 'ERR_PLUGIN_HOOK' });
  });

  it('throws when the hook runs without hardening', async () => {
    expect((await refusalOf(settle([], { isBuiltIn: false }))).message).to.include('without hardening');
  });
});

describe('HardeningTap', () => {
  it('rejects a container without a registered rule', async () => {
    const kernel = await openTestWorkloadKernel({ builtIn: [new HardeningTap().plugin] });
    try {
      const error = await refusalOf(kernel.hooks.containerStart(DRAFT));
      expect(error).to.include({ code: 'ERR_PLUGIN_HOOK' });
      expect(error.message).to.include('"portolan:hardening"');
    } finally {
      await kernel.close();
    }
  });
});
