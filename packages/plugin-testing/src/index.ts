export { bootTestKernel } from './boot-test-kernel.ts';
export type { TestKernelOptions } from './boot-test-kernel.ts';
export { findConfigBlockProblems } from './config-block-problems.ts';
export { authProviderCases } from './contracts/auth-provider-cases.ts';
export { authProviderContract } from './contracts/auth-provider-contract.ts';
export type { AuthProviderUnderTest, KoaApplication } from './contracts/auth-provider-under-test.ts';
export type { ContractCase } from './contracts/contract-case.ts';
export { sourceCases } from './contracts/source-cases.ts';
export { sourceContract } from './contracts/source-contract.ts';
export type { SourceUnderTest } from './contracts/source-under-test.ts';
export { eventually, inTime } from './eventually.ts';
export type { Deadline } from './eventually.ts';
export { FakeClock } from './fake-clock.ts';
export { renderFieldTable } from './field-table.ts';
export { leavesNothingOpen } from './leaves-nothing-open.ts';
export { createRecordingLogger } from './recording-logger.ts';
export type { LogLine, RecordingLogger } from './recording-logger.ts';
export { createTestContext } from './test-context.ts';
export { startTestIssuer, TEST_ISSUER_ENDPOINTS } from './test-issuer.ts';
export type {
  TestIssuer,
  TestIssuerEndpoint,
  TestIssuerOptions,
  TestIssuerRequest,
} from './test-issuer.ts';
export { TEST_ALGORITHMS } from './test-token.ts';
export type { TestAlgorithm, TestTokenOptions } from './test-token.ts';
