export type { VerificationContext } from './verification-context.ts';
export { findImageDigest } from './find-image-digest.ts';
export { findNewerTag } from './find-newer-tag.ts';
export { verifyImage } from './verify-image.ts';
