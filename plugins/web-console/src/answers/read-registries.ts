import type { View } from '../layout/view.ts';

export interface RegistryLink {
  readonly name: string;
  readonly url: string;
}

/** Returns none if reading requires a login. */
export async function readRegistries({ api }: Pick<View, 'api'>): Promise<readonly RegistryLink[]> {
  const { status, json } = await api({ path: '/registry' });
  // The API of this process responded, as its description states.
  return status === 200 ? (json as { readonly registries: readonly RegistryLink[] }).registries : [];
}
