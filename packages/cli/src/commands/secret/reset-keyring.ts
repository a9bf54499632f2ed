import { noPasswordKept } from '../../command-line/command-line-errors.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';

export default class SecretResetKeyring extends WorkloadCommand {
  static override summary = 'Make the keyring forget the password of the encrypted secrets';
  static override description =
    'Without that password the stored secrets cannot be read any more. It is asked for the next time.';
  static override flags = { config: workloadConfigFlag };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(SecretResetKeyring);
    return await this.withWorkloads(flags, async ({ kinds }, signal) => {
      const { store } = await kinds.openSecretStore('encrypted');
      if (store.forgetPassword === undefined) throw noPasswordKept('encrypted');
      const forgotten = await store.forgetPassword(signal);
      this.tell([forgotten ? 'the keyring has forgotten the password' : 'the keyring had no password']);
    });
  }
}
