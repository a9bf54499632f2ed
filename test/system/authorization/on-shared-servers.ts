import { inlineSource, type Json, type Mode, serverDocument } from '../../support/registry-under-test.ts';
import type { Engine } from '../../support/test-database.ts';
import { describeOnEngines, openScene, type Scene } from './on-each-engine.ts';

/** Of the synced source without claims. */
export const UNLABELLED = 'com.acme/unlabelled';

/** Sources and registries that most callers pass, that they do not, and that have no claims. */
const CONFIG: Json = {
  sources: [
    { name: 'published', managed: {}, claims: { org: 'acme' } },
    { name: 'abroad', managed: {}, claims: { org: 'other' } },
    { name: 'bare', managed: {} },
    inlineSource('unlabelled', undefined, [serverDocument(UNLABELLED)]),
  ],
  registries: [
    { name: 'main', sources: ['published', 'unlabelled'], claims: { org: 'acme' } },
    { name: 'team', sources: ['published'], claims: { org: 'acme', team: 'data' } },
    { name: 'abroad', sources: ['published', 'abroad'], claims: { org: 'other' } },
    { name: 'everyone', sources: ['published', 'unlabelled'], claims: { any: [] } },
    { name: 'bare', sources: ['published', 'unlabelled'] },
  ],
};

/** In anonymous mode rules that would bar everybody, if anybody looked at them. */
const AUTH: Readonly<Partial<Record<Mode, Json>>> = { anonymous: { authz: { roles: {} } } };

const shared = new Map<string, Promise<Scene>>();

/**
 * A suite on servers that other suites use, too: its tests make what they need
 * under names of their own, and count nothing that others may have made.
 */
export function onSharedServers(title: string, mode: Mode, define: (scene: () => Scene) => void): void {
  const open = async (engine: Engine): Promise<Scene> => {
    const key = `${mode} ${engine}`;
    const { [mode]: auth = {} } = AUTH;
    const scene = shared.get(key) ?? openScene({ engine, mode, config: CONFIG, auth });
    shared.set(key, scene);
    return await scene;
  };
  describeOnEngines(title, { open }, define);
}

// Of the whole run: nobody knows which suite is the last.
after(async () => {
  const scenes = await Promise.allSettled(shared.values());
  await Promise.all(scenes.map(async (scene) => scene.status === 'fulfilled' && scene.value.server.close()));
});
