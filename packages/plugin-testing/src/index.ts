export { answeringFetch } from './answering-fetch.ts';
export { bootTestKernel } from './boot-test-kernel.ts';
export type { TestKernelOptions } from './boot-test-kernel.ts';
export { findConfigBlockProblems } from './config-block-problems.ts';
export { authProviderCases } from './contracts/auth-provider-cases.ts';
export { authProviderContract } from './contracts/auth-provider-contract.ts';
export type {
  AuthProviderUnderTest,
  LoginsUnderTest,
  KoaApplication,
} from './contracts/auth-provider-under-test.ts';
export type { ContractCase } from './contracts/contract-case.ts';
export { engineCases } from './contracts/engine-cases.ts';
export { engineContract } from './contracts/engine-contract.ts';
export type { EngineCommands, EngineUnderTest } from './contracts/engine-under-test.ts';
export { outgoingCredentialsCases } from './contracts/outgoing-credentials-cases.ts';
export { outgoingCredentialsContract } from './contracts/outgoing-credentials-contract.ts';
export type { OutgoingCredentialsUnderTest } from './contracts/outgoing-credentials-under-test.ts';
export { pagesCases } from './contracts/pages-cases.ts';
export { pagesContract } from './contracts/pages-contract.ts';
export type { PagesUnderTest } from './contracts/pages-under-test.ts';
export { proxyMiddlewareCases } from './contracts/proxy-middleware-cases.ts';
export { proxyMiddlewareContract } from './contracts/proxy-middleware-contract.ts';
export type { JudgedSample, ProxyMiddlewareUnderTest } from './contracts/proxy-middleware-under-test.ts';
export { schemeCases } from './contracts/scheme-cases.ts';
export { schemeContract } from './contracts/scheme-contract.ts';
export type { SchemeUnderTest } from './contracts/scheme-under-test.ts';
export { secretStoreCases } from './contracts/secret-store-cases.ts';
export { secretStoreContract } from './contracts/secret-store-contract.ts';
export type { SecretStoreUnderTest } from './contracts/secret-store-under-test.ts';
export { sessionStoreCases } from './contracts/session-store-cases.ts';
export { sessionStoreContract } from './contracts/session-store-contract.ts';
export type { SessionStoreUnderTest } from './contracts/session-store-under-test.ts';
export { sourceCases } from './contracts/source-cases.ts';
export { sourceContract } from './contracts/source-contract.ts';
export type { SourceUnderTest } from './contracts/source-under-test.ts';
export { telemetryCases } from './contracts/telemetry-cases.ts';
export { telemetryContract } from './contracts/telemetry-contract.ts';
export type {
  CollectedMetric,
  CollectedSpan,
  TelemetryPlace,
  TelemetryUnderTest,
} from './contracts/telemetry-under-test.ts';
export { transportCases } from './contracts/transport-cases.ts';
export { transportContract } from './contracts/transport-contract.ts';
export type { MessageWire, TransportUnderTest } from './contracts/transport-under-test.ts';
export { hostCases } from './contracts/host-cases.ts';
export { hostContract } from './contracts/host-contract.ts';
export type { HostedProgram, HostUnderTest } from './contracts/host-under-test.ts';
export { eventually, inTime } from './eventually.ts';
export type { Deadline } from './eventually.ts';
export { FakeAttachment } from './fake-attachment.ts';
export { FakeClock } from './fake-clock.ts';
export { openTestWorkloadKernel } from './open-test-workload-kernel.ts';
export type { TestWorkloadKernelOptions } from './open-test-workload-kernel.ts';
export { renderFieldTable } from './field-table.ts';
export { leavesNothingOpen } from './leaves-nothing-open.ts';
export { MemorySecretFiles } from './memory-secret-files.ts';
export { readSurroundings } from './read-surroundings.ts';
export { createRecordingLogger } from './recording-logger.ts';
export type { LogLine, RecordingLogger } from './recording-logger.ts';
export { engineOf, runtimeOfEngine } from './runtime-of-engine.ts';
export { createTestContext, createTestCredentialsContext, createTestProxyContext } from './test-context.ts';
export { startTestIssuer, TEST_ISSUER_ENDPOINTS } from './test-issuer.ts';
export type {
  TestIssuer,
  TestIssuerEndpoint,
  TestIssuerOptions,
  TestIssuerRequest,
} from './test-issuer.ts';
export { TEST_ALGORITHMS } from './test-token.ts';
export type { TestAlgorithm, TestTokenOptions } from './test-token.ts';
