import { inlineSource, type Json, type Mode, serverDocument } from '../../support/registry-under-test.ts';
import type { Engine } from '../../support/test-database.ts';
import { describeOnEngines, openScene, type Scene } from './on-each-engine.ts';

/** Names in the synced source without claims. */
export const UNLABELLED = 'com.acme/unlabelled';

/**
 * Sources and registries with claims that most callers satisfy, with claims that they do not satisfy, and
 * without claims.
 */
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

/** In anonymous mode, these rules would refuse every caller if they were evaluated. */
const AUTH: Readonly<Partial<Record<Mode, Json>>> = { anonymous: { authz: { roles: {} } } };

const shared = new Map<string, Promise<Scene>>();

/**
 * Defines a suite on servers that it shares with other suites. Its tests make resources with their own names
 * and never count all resources.
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

// The hook runs after all suites, because any suite may be the last.
after(async () => {
  const scenes = await Promise.allSettled(shared.values());
  await Promise.all(scenes.map(async (scene) => scene.status === 'fulfilled' && scene.value.server.close()));
});
