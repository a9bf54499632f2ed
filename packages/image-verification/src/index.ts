export type { VerificationContext } from './verification-context.ts';
export { verifyImage } from './verify-image.ts';
