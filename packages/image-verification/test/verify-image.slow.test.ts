import { PortolanError, type RegistryCredentials } from '@portolan/plugin-api';
import { createRecordingLogger, createTestContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { VerificationMode } from '@portolan/run-spec';
import { NO_USER_SETTINGS } from '@portolan/run-spec';
import type { FetchTrustedRoot, TrustedRoot } from '../src/trust-root.ts';
import type { VerificationContext } from '../src/verification-context.ts';
import { verifyImage, type VerificationOutcome } from '../src/verify-image.ts';
import { caught } from '../../../test/support/caught.ts';
import { LOGIN, OciRegistry, type OciRegistryOptions } from './oci-registry.ts';
import {
  pushAttestation,
  pushBundle,
  pushCosignSignature,
  pushManifestSignature,
  type SignatureToPush,
} from './push-signature.ts';
import { PROVENANCE, TestSigstore, WORKFLOW } from './signer.ts';

const ZEROS = `sha256:${'0'.repeat(64)}`;
const ADA = { subject: 'ada@acme.example', issuer: 'https://accounts.acme.example' };

interface Given {
  readonly mode?: VerificationMode;
  readonly provenance?: object | undefined;
  readonly version?: string;
  readonly credentials?: RegistryCredentials | Promise<RegistryCredentials>;
  readonly fetchTrustedRoot?: FetchTrustedRoot;
  readonly signal?: AbortSignal;
}

describe('verifyImage', function () {
  this.timeout(180_000); // makes keys and certificates

  const sigstore = new TestSigstore();
  const registries: OciRegistry[] = [];
  let root: TrustedRoot;

  before(async () => {
    root = await sigstore.trustedRoot();
  });
  afterEach(async () => {
    for (const registry of registries.splice(0)) await registry.close();
  });

  async function start(options: OciRegistryOptions = {}): Promise<OciRegistry> {
    const registry = await OciRegistry.start(options);
    registries.push(registry);
    return registry;
  }

  async function verify(registry: OciRegistry, given: Given = {}): Promise<VerificationOutcome> {
    const { mode = 'enabled', version = ':1', signal } = given;
    const provenance = 'provenance' in given ? given.provenance : PROVENANCE;
    return await verifyImage(
      {
        reference: `${registry.host}/acme/notes${version}`,
        mode,
        provenance: provenance === undefined ? undefined : { ...provenance },
      },
      contextWith(given.credentials),
      signal,
      given.fetchTrustedRoot ?? (async () => root),
    );
  }

  describe('with a valid signature of the expected signer', () => {
    const forms: readonly {
      title: string;
      options?: OciRegistryOptions;
      push: (registry: OciRegistry, digest: string) => Promise<unknown>;
    }[] = [
      {
        title: 'a signature under the tag of cosign',
        push: (registry, digest) => pushCosignSignature(registry, sigstore, digest, { who: WORKFLOW }),
      },
      {
        title: 'an attestation that refers to the image',
        push: (registry, digest) => pushAttestation(registry, sigstore, digest, { who: WORKFLOW }),
      },
      {
        title: 'an attestation at an image registry without the referrers API',
        options: { referrersApi: false },
        push: (registry, digest) => pushAttestation(registry, sigstore, digest, { who: WORKFLOW }),
      },
      {
        title: 'a bundle, declared by its config',
        push: (registry, digest) =>
          pushAttestation(registry, sigstore, digest, { who: WORKFLOW, says: 'config' }),
      },
      {
        title: 'a bundle, declared by its layer',
        push: (registry, digest) =>
          pushAttestation(registry, sigstore, digest, { who: WORKFLOW, says: 'layer' }),
      },
      {
        title: 'a bare signature of the manifest',
        push: async (registry, digest) => {
          const bytes = Buffer.from(
            await (await fetch(`http://${registry.host}/v2/acme/notes/manifests/1`)).arrayBuffer(),
          );
          await pushManifestSignature(registry, sigstore, digest, bytes, { who: WORKFLOW });
        },
      },
      {
        title: 'a valid signature among invalid ones',
        push: async (registry, digest) => {
          await pushCosignSignature(registry, sigstore, digest, { who: WORKFLOW, otherKey: true });
          pushBundle(registry, digest, 'no JSON');
          pushBundle(registry, digest, { mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json' });
          await pushAttestation(registry, sigstore, digest, { who: ADA });
          await pushAttestation(registry, sigstore, digest, { who: WORKFLOW });
        },
      },
    ];
    for (const { title, options, push } of forms) {
      it(`accepts ${title}, and returns the digest to run`, async () => {
        const registry = await start(options);
        const digest = registry.pushImage();
        await push(registry, digest);
        expect(await verify(registry)).to.deep.equal({
          warnings: [],
          verified: true,
          digest,
          reference: `${registry.host}/acme/notes@${digest}`,
        });
      });
    }

    it('uses the digest of the reference, independently of its tag', async () => {
      const registry = await start();
      const digest = registry.pushImage('old');
      await pushCosignSignature(registry, sigstore, digest, { who: WORKFLOW });
      expect(await verify(registry, { version: `:1@${digest}` })).to.include({ verified: true, digest });
    });

    it('ignores fields that are empty in the entry', async () => {
      const registry = await start();
      await pushCosignSignature(registry, sigstore, registry.pushImage(), { who: WORKFLOW });
      const provenance = { repository_uri: PROVENANCE.repository_uri, cert_issuer: '', repository_ref: '' };
      expect(await verify(registry, { provenance })).to.include({ verified: true });
    });

    it('compares the whole subject of a signer that is not a workflow', async () => {
      const registry = await start();
      await pushCosignSignature(registry, sigstore, registry.pushImage(), { who: ADA });
      expect(await verify(registry, { provenance: { signer_identity: ADA.subject } })).to.include({
        verified: true,
      });
    });

    it('compares the attestation when the entry has one', async () => {
      const registry = await start();
      const predicate = { builder: { id: 'acme' }, steps: [1, 2] };
      await pushAttestation(registry, sigstore, registry.pushImage(), { who: WORKFLOW, predicate });
      const attestation = { predicate_type: 'https://slsa.dev/provenance/v1', predicate };
      expect(await verify(registry, { provenance: { ...PROVENANCE, attestation } })).to.include({
        verified: true,
      });
      const other = { ...attestation, predicate: { ...predicate, steps: [2, 1] } };
      const error = await caught(() =>
        verify(registry, { provenance: { ...PROVENANCE, attestation: other } }),
      );
      expect(error).to.include({ code: 'ERR_IMAGE_PROVENANCE' });
      const type = { ...attestation, predicate_type: 'https://acme.example/other' };
      expect(
        await caught(() => verify(registry, { provenance: { ...PROVENANCE, attestation: type } })),
      ).to.include({
        code: 'ERR_IMAGE_PROVENANCE',
      });
    });
  });

  describe('with an invalid signature', () => {
    const faults: readonly { title: string; signature: Partial<SignatureToPush>; because: RegExp }[] = [
      { title: 'of another image', signature: { names: ZEROS }, because: /other content|another image/ },
      {
        title: 'by another key than that of the certificate',
        signature: { otherKey: true },
        because: /signature verification failed/,
      },
      {
        title: 'that is in no transparency log',
        signature: { withoutLog: true },
        because: /expected 1 timestamps, got 0/,
      },
      {
        title: 'made after the certificate had expired',
        signature: { loggedAfterMinutes: 30 },
        because: /verify certificate chain|expired/,
      },
      {
        title: 'whose certificate is in no transparency log',
        signature: { withoutCertificateLog: true },
        because: /expected 1 SCTs, got 0/,
      },
    ];
    for (const { title, signature, because } of faults) {
      for (const [form, push] of [
        ['cosign', pushCosignSignature],
        ['bundle', pushAttestation],
      ] as const) {
        it(`rejects a signature ${title} (${form})`, async () => {
          const registry = await start();
          await push(registry, sigstore, registry.pushImage(), { who: WORKFLOW, ...signature });
          const error = await caught(() => verify(registry));
          expect(error).to.include({ code: 'ERR_IMAGE_PROVENANCE' });
          expect(error.message).to.contain('image is not signed').and.match(because);
        });
      }
    }

    it('rejects a signature of an untrusted authority', async () => {
      const registry = await start();
      await pushCosignSignature(registry, new TestSigstore(), registry.pushImage(), { who: WORKFLOW });
      expect(await caught(() => verify(registry))).to.include({ code: 'ERR_IMAGE_PROVENANCE' });
    });

    it('rejects a layer that was changed in the image registry', async () => {
      const registry = await start();
      const layer = await pushCosignSignature(registry, sigstore, registry.pushImage(), { who: WORKFLOW });
      registry.tamper(layer, Buffer.from('{"critical":{}}'));
      const error = await caught(() => verify(registry));
      expect(error).to.include({ code: 'ERR_IMAGE_PROVENANCE' });
      expect(error.message).to.contain('sends content that differs from');
    });

    it('rejects a bundle above 10 MiB', async () => {
      const registry = await start();
      pushBundle(registry, registry.pushImage(), Buffer.alloc(10 * 1024 * 1024 + 1, 32).toString());
      const error = await caught(() => verify(registry));
      expect(error).to.include({ code: 'ERR_IMAGE_PROVENANCE' });
      expect(error.message).to.contain('more than 10 MiB');
    });

    it('rejects an image without a signature', async () => {
      const registry = await start();
      registry.pushImage();
      expect(await caught(() => verify(registry))).to.include({ code: 'ERR_IMAGE_PROVENANCE' });
    });
  });

  describe('with a signature of another signer', () => {
    const others: readonly { field: string; value: string }[] = [
      { field: 'repository_uri', value: 'https://github.com/acme/other' },
      { field: 'repository_ref', value: 'refs/heads/main' },
      { field: 'runner_environment', value: 'self-hosted' },
      { field: 'cert_issuer', value: ADA.issuer },
      { field: 'signer_identity', value: '/.github/workflows/other.yml' },
    ];
    for (const { field, value } of others) {
      it(`rejects another ${field}, and shows both`, async () => {
        const registry = await start();
        await pushCosignSignature(registry, sigstore, registry.pushImage(), { who: WORKFLOW });
        const error = await caught(() => verify(registry, { provenance: { ...PROVENANCE, [field]: value } }));
        expect(error).to.include({ code: 'ERR_IMAGE_PROVENANCE' });
        expect(error.message).to.contain('image provenance does not match').and.contain(`${field}: found`);
        expect(error.message).to.contain(`expected "${value}"`);
      });
    }

    it('rejects a repository whose name begins with the expected one', async () => {
      const registry = await start();
      const subject = 'https://github.com/acme/notes-evil/.github/workflows/release.yml@refs/heads/main';
      await pushCosignSignature(registry, sigstore, registry.pushImage(), { who: { ...WORKFLOW, subject } });
      expect(await caught(() => verify(registry))).to.include({ code: 'ERR_IMAGE_PROVENANCE' });
    });
  });

  describe('modes', () => {
    type Situation = 'nothing known' | 'verifier unavailable' | 'check fails' | 'check passes';
    const table: Readonly<Record<VerificationMode, Readonly<Record<Situation, string>>>> = {
      disabled: {
        'nothing known': 'warns',
        'verifier unavailable': 'warns',
        'check fails': 'warns',
        'check passes': 'warns',
      },
      warn: {
        'nothing known': 'warns',
        'verifier unavailable': 'warns',
        'check fails': 'warns',
        'check passes': 'verified',
      },
      enabled: {
        'nothing known': 'ERR_IMAGE_PROVENANCE_UNKNOWN',
        'verifier unavailable': 'ERR_IMAGE_VERIFIER',
        'check fails': 'ERR_IMAGE_PROVENANCE',
        'check passes': 'verified',
      },
    };
    const given: Readonly<Record<Situation, Given>> = {
      'nothing known': { provenance: undefined },
      'verifier unavailable': {
        fetchTrustedRoot: async () =>
          await Promise.reject(new PortolanError('ERR_IMAGE_VERIFIER', 'unavailable', 'It is away.')),
      },
      'check fails': {},
      'check passes': {},
    };
    for (const mode of ['disabled', 'warn', 'enabled'] as const) {
      for (const [situation, expected] of Object.entries(table[mode]) as [Situation, string][]) {
        it(`${mode}, ${situation}: ${expected}`, async () => {
          const registry = await start();
          const digest = registry.pushImage();
          if (situation === 'check passes')
            await pushCosignSignature(registry, sigstore, digest, { who: WORKFLOW });
          const verifying = (): Promise<VerificationOutcome> =>
            verify(registry, { ...given[situation], mode });
          if (expected.startsWith('ERR_')) {
            expect(await caught(verifying)).to.include({ code: expected });
            return;
          }
          const { verified, warnings, reference } = await verifying();
          expect({ verified, warnings: warnings.length, isPinned: reference !== undefined }).to.deep.equal({
            verified: expected === 'verified',
            warnings: expected === 'verified' ? 0 : 1,
            isPinned: expected === 'verified',
          });
          if (mode === 'disabled') expect(registry.requests).to.deep.equal([]);
        });
      }
    }

    it('treats provenance that matches every signer as absent', async () => {
      const registry = await start();
      for (const provenance of [
        {},
        { cert_issuer: WORKFLOW.issuer },
        { signer_identity: '/.github/workflows/release.yml' },
      ]) {
        expect(await caught(() => verify(registry, { provenance }))).to.include({
          code: 'ERR_IMAGE_PROVENANCE_UNKNOWN',
        });
      }
    });

    it('supports two Sigstore instances', async () => {
      const registry = await start();
      const provenance = { ...PROVENANCE, sigstore_url: 'sigstore.acme.example' };
      expect(await caught(() => verify(registry, { provenance }))).to.include({ code: 'ERR_IMAGE_VERIFIER' });
      const asked: string[] = [];
      const fetchTrustedRoot: FetchTrustedRoot = async (host) => {
        asked.push(host);
        return root;
      };
      // GitHub's authority has no log of certificates, and a timestamp instead of a log of signatures.
      const unlogged = { who: WORKFLOW, withoutCertificateLog: true, timestamped: true };
      await pushAttestation(registry, sigstore, registry.pushImage(), unlogged);
      expect(await caught(() => verify(registry))).to.include({ code: 'ERR_IMAGE_PROVENANCE' });
      const github = { ...PROVENANCE, sigstore_url: 'https://tuf-repo.github.com/' };
      expect(await verify(registry, { provenance: github, fetchTrustedRoot })).to.include({ verified: true });
      expect(asked).to.deep.equal(['tuf-repo.github.com']);
    });

    it('accepts an image that was built on this host, without a message', async () => {
      const request = { reference: 'portolanlocal/npx-notes:1', provenance: undefined, isBuiltHere: true };
      for (const mode of ['disabled', 'warn', 'enabled'] as const) {
        const outcome = await verifyImage({ ...request, mode }, contextWith());
        expect(outcome).to.deep.equal({ warnings: [], verified: false });
      }
    });
  });

  describe('image registries', () => {
    for (const login of ['basic', 'bearer'] as const) {
      it(`sends credentials on request (${login})`, async () => {
        const registry = await start({ login });
        await pushCosignSignature(registry, sigstore, registry.pushImage(), { who: WORKFLOW });
        expect(await verify(registry, { credentials: LOGIN })).to.include({ verified: true });
        expect(await caught(() => verify(registry))).to.include({ code: 'ERR_IMAGE_VERIFIER' });
      });
    }

    it('continues without credentials when they cannot be read', async () => {
      const registry = await start({ login: 'public' });
      await pushCosignSignature(registry, sigstore, registry.pushImage(), { who: WORKFLOW });
      const credentials = Promise.reject<RegistryCredentials>(new Error('the helper is broken'));
      expect(await verify(registry, { credentials })).to.include({ verified: true });
    });

    it('follows a redirect of a blob', async () => {
      const registry = await start();
      const mirror = await start();
      for (const place of [registry, mirror]) {
        await pushCosignSignature(place, sigstore, place.pushImage(), { who: WORKFLOW });
      }
      const digest = registry.pushImage();
      const layer = await pushCosignSignature(registry, sigstore, digest, { who: WORKFLOW });
      registry.blobsAt = `http://${mirror.host}`;
      // The payload names the registry, so that the mirror has another one: the redirect is followed, and found to lie.
      expect((await caught(() => verify(registry))).message).to.contain(`status 404`);
      expect(mirror.requests).to.include(`GET /v2/acme/notes/blobs/${layer}`);
    });

    it('reports an image that the registry does not have', async () => {
      const registry = await start();
      expect(await caught(() => verify(registry))).to.include({ code: 'ERR_IMAGE_VERIFIER' });
    });

    it('reports ERR_IMAGE_VERIFIER for a registry that is down, by default as a warning', async () => {
      const registry = await start();
      const { host } = registry;
      await registry.close();
      registries.pop();
      const request = { reference: `${host}/acme/notes:1`, provenance: PROVENANCE };
      const trusting: FetchTrustedRoot = async () => root;
      const verifying = (mode: VerificationMode): Promise<VerificationOutcome> =>
        verifyImage({ ...request, mode }, contextWith(), undefined, trusting);
      expect(await caught(() => verifying('enabled'))).to.include({ code: 'ERR_IMAGE_VERIFIER' });
      expect((await verifying('warn')).warnings.join()).to.contain('failed: ');
    });

    it('aborts with the signal in every mode', async () => {
      const registry = await start();
      for (const mode of ['warn', 'enabled'] as const) {
        const stop = new AbortController();
        const fetchTrustedRoot: FetchTrustedRoot = async () => {
          stop.abort(new PortolanError('ERR_STOPPED', 'fault', 'It was stopped.'));
          return root;
        };
        const verifying = (): Promise<VerificationOutcome> =>
          verify(registry, { mode, fetchTrustedRoot, signal: stop.signal });
        expect(await caught(verifying)).to.include({ code: 'ERR_STOPPED' });
      }
    });
  });
});

function contextWith(credentials?: Given['credentials']): VerificationContext {
  return {
    user: NO_USER_SETTINGS,
    logger: createRecordingLogger(),
    openFetch: createTestContext().openFetch,
    environment: {},
    findCredentials: async () => await credentials,
    openCache: async () => {
      throw new Error('the trust root of the test is not fetched');
    },
  };
}
