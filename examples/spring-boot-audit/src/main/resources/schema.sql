-- SPDX-License-Identifier: Apache-2.0
create table if not exists transfer (id varchar(36) primary key, debit varchar(20), credit varchar(20), amount bigint);
