export type { VerificationContext } from './verification-context.ts';
export { findImageDigest } from './find-image-digest.ts';
export { verifyImage } from './verify-image.ts';
