/** What backups use of age, a file by itself so that bundles do not contain it: few programs encrypt. */
export { Decrypter, Encrypter, generateX25519Identity, identityToRecipient, Stanza } from 'age-encryption';
