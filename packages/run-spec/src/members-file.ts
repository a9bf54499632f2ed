export { MAX_MEMBERS_FILE_LENGTH } from './members-file/read-yaml.ts';
export { badMembersFile } from './members-file/members-file-errors.ts';
export type { MembersFile } from './members-file/members-file.ts';
export { parseMembersFile, readVmcpFile } from './members-file/parse-members-file.ts';
export { requestOfMember } from './members-file/member-request.ts';
