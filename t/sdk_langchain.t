#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# LangChain's ChatOpenAI through the gateway to aimock and to scripted models.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::SDK qw( client_ok gateway node_tests );

my $g = gateway();

node_tests('langchain.mjs', '@langchain/openai', $g);
client_ok($g, 'langchain', aimock => [
    'talk first: user assistant tool',
    'city by city: user assistant tool assistant tool',
    'say hello: user assistant user' ]);

done_testing();
