import { noPasswordStored } from '../../command-line/command-line-errors.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';

export default class SecretResetKeyring extends WorkloadCommand {
  static override summary = 'Remove the password of the encrypted secrets from the keyring';
  static override description =
    'Stored secrets cannot be read without that password. The next command that reads a secret asks for it.';
  static override flags = { config: workloadConfigFlag };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(SecretResetKeyring);
    return await this.withWorkloads(flags, async ({ kinds }, signal) => {
      const { store } = await kinds.openSecretStore('encrypted');
      if (store.forgetPassword === undefined) throw noPasswordStored('encrypted');
      const forgotten = await store.forgetPassword(signal);
      this.tell([forgotten ? 'the password is removed from the keyring' : 'the keyring had no password']);
    });
  }
}
