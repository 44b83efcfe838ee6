import { activation } from '../state-forms.ts';

export const activate = activation('activate', 'CLUSTER_ACTIVATE');
