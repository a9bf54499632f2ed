import { createHash } from 'node:crypto';
import { memberOf, objectsIn, textMember } from '@portolan/run-spec';

export interface Descriptor {
  readonly mediaType: string | undefined;
  readonly digest: string;
  readonly artifactType: string | undefined;
  readonly annotations: Readonly<Record<string, unknown>>;
}

export function descriptorsIn(manifest: unknown, key: 'layers' | 'manifests'): readonly Descriptor[] {
  return objectsIn(manifest, key).flatMap((item): readonly Descriptor[] => {
    const digest = textMember(item, 'digest');
    if (digest === undefined || !isDigest(digest)) return [];
    const annotations = memberOf(item, 'annotations');
    return [
      {
        mediaType: textMember(item, 'mediaType'),
        digest,
        artifactType: textMember(item, 'artifactType'),
        annotations: typeof annotations === 'object' && annotations !== null ? { ...annotations } : {},
      },
    ];
  });
}

/** Requires SHA-256 in the form of the OCI image specification. */
export function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
