import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an unreadable or empty file of a webhook. */
export function webhookFileUnusable(webhook: string, file: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_WEBHOOK_FILE',
    'mistake',
    `The webhook ${JSON.stringify(webhook)} needs the file ${JSON.stringify(file)}, which cannot be read or is empty.`,
    { hint: 'Correct the path, or the permissions of the file.', cause },
  );
}

/** Creates the error for an empty signing secret, with which anybody could sign. */
export function webhookSecretEmpty(webhook: string): PortolanError {
  return new PortolanError(
    'ERR_WEBHOOK_FILE',
    'mistake',
    `The secret of the webhook ${JSON.stringify(webhook)} is empty.`,
    { hint: 'Set it with `portolan secret set`, or leave hmac_secret_ref out.' },
  );
}

/** Creates the error for an unusable certificate, key or authority, or ones that do not match. */
export function webhookCertificateUnusable(webhook: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_WEBHOOK_FILE',
    'mistake',
    `The certificates of the webhook ${JSON.stringify(webhook)} cannot be used.`,
    { hint: 'Give a matching certificate and key, and a CA bundle, as PEM files.', cause },
  );
}
