/** Parameters that name a user. */
import { requiredText } from './params.ts';

export const userName = requiredText('user', 'Name of the user; letter case counts.');
export const password = requiredText('password', 'The password.');
