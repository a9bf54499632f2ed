import { inlineSecret } from '../parse/inline-secrets.ts';
import { findSecretReference, type SecretReference } from '../parse/secret-reference.ts';
import type { RunConfig } from './run-config.ts';

export function inlineReferences({
  inline_secrets: texts,
}: Pick<RunConfig, 'inline_secrets'>): readonly SecretReference[] {
  return texts.flatMap((text) => findSecretReference(text) ?? []);
}

export function warnOfShownSecrets(
  references: readonly Pick<SecretReference, 'target'>[],
): readonly string[] {
  if (references.length === 0) return [];
  const places = references.map(({ target }) => inlineSecret(target)).join(', ');
  return [
    `The container engine shows the arguments of a container, with the secrets in ${places}, to everybody who may query it.`,
  ];
}
