import type { Plugin, PluginContext, Role } from '@portolan/plugin-api';
import { expect } from 'chai';
import type { BootOptions, Kernel } from '../../src/index.ts';
import { bootOptions, errorOf, withKernel } from '../support/test-context.ts';

const identity = { subject: 'ada', claims: {} };

type Apply = (context: PluginContext) => void;

const pluginOf = (name: string, apply: Apply): Plugin => ({ name, apiVersion: 2, apply });

/** A built-in plugin whose tap adds `manageEntries`. */
const rules = pluginOf('portolan:rules', ({ hooks }) =>
  hooks.resolveRoles.tap({ name: 'portolan:rules', stage: -1000 }, (roles) => [...roles, 'manageEntries']),
);

async function withBuiltIn<T>(
  plugins: readonly Plugin[],
  run: (kernel: Kernel) => Promise<T>,
  more: Partial<BootOptions> = {},
): Promise<T> {
  const options = { builtIn: () => [rules], pluginObjects: plugins.map((plugin) => ({ plugin })) };
  return await withKernel(bootOptions({ ...options, ...more }), run);
}

describe('built-in taps', () => {
  it('run at their stage: plugins run before and after them, and see the changed value', async () => {
    const seen: (readonly [string, readonly Role[]])[] = [];
    const looking = (name: string, stage?: number): Plugin =>
      pluginOf(name, ({ hooks }) =>
        hooks.resolveRoles.tap({ name, ...(stage === undefined ? {} : { stage }) }, (roles) => {
          seen.push([name, roles]);
          return [...roles, name === 'before' ? 'manageSources' : 'manageRegistries'];
        }),
      );
    await withBuiltIn([looking('after'), looking('before', -2000)], async ({ hooks }) => {
      const roles = await hooks.resolveRoles([], identity);
      expect(roles).to.deep.equal(['manageSources', 'manageEntries', 'manageRegistries']);
    });
    expect(seen).to.deep.equal([
      ['before', []],
      ['after', ['manageSources', 'manageEntries']],
    ]);
  });

  it('can be named in the option `before` of other taps', async () => {
    const first = pluginOf('first', ({ hooks }) =>
      hooks.resolveRoles.tap({ name: 'first', before: 'portolan:rules' }, (roles) => [
        ...roles,
        'manageSources',
      ]),
    );
    await withBuiltIn([first], async ({ hooks }) => {
      expect(await hooks.resolveRoles([], identity)).to.deep.equal(['manageSources', 'manageEntries']);
    });
  });

  it('run, and their results are validated, without taps of plugins', async () => {
    await withBuiltIn([], async ({ hooks }) => {
      expect(await hooks.resolveRoles([], identity)).to.deep.equal(['manageEntries']);
    });
    const answering = (answer: () => unknown) =>
      pluginOf('portolan:rules', ({ hooks }) =>
        // SAFETY: the answer is what is looked at here.
        hooks.resolveRoles.tap('portolan:rules', answer as () => readonly Role[]),
      );
    const broken = [
      answering(() => ['root']),
      answering(() => {
        throw new Error('x');
      }),
    ];
    for (const plugin of broken) {
      await withBuiltIn(
        [],
        async ({ hooks }) => {
          const error = await errorOf(() => hooks.resolveRoles([], identity));
          expect(error.code).to.equal('ERR_PLUGIN_HOOK');
          expect(error.message).to.include('"portolan:rules"').and.to.include('"resolveRoles"');
        },
        { builtIn: () => [plugin] },
      );
    }
  });

  it('are created for the configuration, and applied before the taps of plugins', async () => {
    const applied: string[] = [];
    const noting = (name: string): Plugin => pluginOf(name, () => applied.push(name));
    const builtIn: BootOptions['builtIn'] = ({ registries }) => [noting(`portolan:${registries[0]?.name}`)];
    await withBuiltIn(
      [noting('other')],
      async ({ config }) => {
        expect(applied).to.deep.equal([`portolan:${config.registries[0]?.name}`, 'other']);
      },
      { builtIn },
    );
  });

  it('have reserved names that no plugin may use', async () => {
    for (const name of ['portolan:rules', 'portolan:roles', 'portolan:']) {
      const error = await errorOf(() =>
        withBuiltIn([pluginOf(name, () => undefined)], async () => undefined),
      );
      expect(error.code).to.equal('ERR_PLUGIN_SHAPE');
      expect(error.message).to.include(`its name is "${name}"`);
    }
  });

  it('keep their names when a plugin taps under such a name', async () => {
    const impostor = pluginOf('impostor', ({ hooks }) =>
      hooks.resolveRoles.tap({ name: 'portolan:rules', stage: -1000 }, () => {
        throw new Error('x');
      }),
    );
    await withBuiltIn([impostor], async ({ hooks }) => {
      expect((await errorOf(() => hooks.resolveRoles([], identity))).message).to.include('"impostor"');
    });
  });
});
