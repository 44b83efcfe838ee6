import { activation } from '../state-forms.ts';

export const active = activation('active', 'CLUSTER_ACTIVE');
